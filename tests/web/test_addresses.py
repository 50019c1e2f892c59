import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.errors import ConfigError, ForbiddenUrlError
from factreasoner.web.addresses import address_refusal, display, in_domains, normal_domain, parse_url

REFUSED_ADDRESSES = {
    "unspecified address": "0.0.0.0 0.1.2.3 ::",
    "private address": "10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 64:ff9b::10.0.0.1 fd12::1 fec0::1",
    "carrier-grade NAT address": "100.64.0.1",
    "loopback address": "127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1",
    "link-local address": "169.254.1.1 fe80::1 fe80::1%eth0",
    "cloud metadata address": "169.254.169.254 168.63.129.16 ::ffff:a9fe:a9fe fd00:ec2::254",
    "reserved address": "192.0.0.8 240.0.0.1 255.255.255.255 ::127.0.0.1 ::ffff:0:127.0.0.1 2001:10::1",
    "documentation address": "192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1",
    "tunnel address": "192.88.99.1 2001:0:4136::fdd2 2002:7f00:1:: 2002:808:808::",
    "benchmarking address": "198.18.0.1",
    "multicast address": "224.0.0.1 239.255.255.250 ff02::1",
    "translated address": "64:ff9b:1::1",
    "discard address": "100::1",
}
PUBLIC_ADDRESSES = "8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.1 ::ffff:8.8.8.8 64:ff9b::808:808 2001:4860::8"


def test_special_addresses_are_refused_with_their_reason():
    for reason, addresses in REFUSED_ADDRESSES.items():
        assert {address: address_refusal(address) for address in addresses.split()} == dict.fromkeys(
            addresses.split(), reason
        )
    assert not any(map(address_refusal, PUBLIC_ADDRESSES.split()))


def test_an_intranet_switch_lets_private_addresses_pass():
    for address in ("10.0.0.1", "127.0.0.1", "::1", "fd12::1", "100.64.0.1", "::ffff:10.1.1.1"):
        assert address_refusal(address, allow_private=True) is None


@pytest.mark.parametrize(
    "addresses",
    [
        "169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192 169.254.0.9",
        "fd00:c1::a9fe:a9fe fd00:ec2::23 fd00:ec2::254 fd20:ce::254 FD20:00CE:0:0:0:0:0:0254%eth0",
        "::ffff:169.254.169.254 ::ffff:100.100.100.200 64:ff9b::a9fe:a9fe 64:ff9b::100.100.100.200",
        "64:ff9b:1::a9fe:a9fe 64:ff9b:1:a9fe:a9:fe00:: ::a9fe:a9fe 0.0.0.0 224.0.0.1 2002:a00:1::",
    ],
)
def test_intranet_switch_never_allows_special_addresses(addresses):
    assert all(address_refusal(address, allow_private=True) for address in addresses.split())


@given(st.ip_addresses(v=4))
def test_mapped_ipv4_address_is_treated_alike(address):
    assert address_refusal(f"::ffff:{address}") == address_refusal(str(address))


@given(st.ip_addresses())
def test_private_addresses_are_refused(address):
    if address.is_private or address.is_multicast or address.is_link_local:
        assert address_refusal(str(address))


FORBIDDEN_URLS = {
    "scheme": "ftp://example.com/x file:///etc/passwd javascript:alert(1) //example.com/x example.com/a",
    "credentials in URL": "http://user:secret@example.com/ http://example.com@127.0.0.1/",
    "malformed host": "http:///etc/passwd http://a..b/ http://-a.com/ http://127.0.0.1../ http:127.0.0.1/"
    f" http://{'a' * 64}.com/ http://{'a.' * 130}com/ http://example.com%40127.0.0.1/ http:\\\\127.0.0.1/"
    " http://127.0.0.1%00.example.com/",
    "port": "http://example.com:0/ http://127.0.0.1:-1/",
    "malformed URL": "http://[::1/ http://①②⑦.⓪.⓪.①/ http://ｌｏｃａｌｈｏｓｔ/ http://loc\u200balhost/ http://[1.2.3.4]/"
    " http://999.1.1.1/ http://0177.0.0.1/",
    "malformed address": "http://[fe80::1%25eth0]/ http://[::ffff:8.8.8.8%25lo]/",
    "disguised address": "http://2130706433/ http://0x7f000001/ http://0x7f.0x0.0x0.0x1/ http://017700000001/"
    " http://127.1/ http://127.0.0.1.2/ http://0/ http://1.2.3.0x4./",
}
ODD_URLS = {
    "": "scheme",
    "http://exa mple.com/": "malformed host",
    "http://h\r\nX-Evil: 1/": "malformed URL",
    "http://1.1.1.1 &@2.2.2.2# @127.0.0.1/": "credentials in URL",
}
ODD_URLS |= {url: reason for reason, urls in FORBIDDEN_URLS.items() for url in urls.split()}


@pytest.mark.parametrize(("url", "reason"), ODD_URLS.items())
def test_forbidden_urls_are_refused_with_their_reason(url, reason):
    with pytest.raises(ForbiddenUrlError) as caught:
        parse_url(url)
    assert caught.value.reason == reason
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/a?b=c#d", b"example.com"),
        ("HTTP://EXAMPLE.com:8080/", b"example.com"),
        ("https://example.com./", b"example.com"),
        ("https://bücher.example/", b"xn--bcher-kva.example"),
        ("http://127。0。0。1/", b"127.0.0.1"),
        ("http://127.0.0.1./", b"127.0.0.1"),
        ("http://[::ffff:7f00:1]/", b"::ffff:7f00:1"),
        ("http://under_score.example.com/", b"under_score.example.com"),
    ],
)
def test_well_formed_urls_pass_with_a_plain_host(url, host):
    assert parse_url(url).raw_host == host


@given(st.text())
def test_any_text_is_a_plain_url_or_refused(text):
    try:
        url = parse_url("http://" + text)
    except ForbiddenUrlError:
        return
    assert url.raw_host.decode("ascii").isprintable()
    assert not url.userinfo


def test_shown_urls_hide_credentials_and_query():
    shown = display(f"https://me:pass@example.com:8443/{'x' * 500}?key=secret#frag")
    assert shown.startswith("https://example.com:8443/xxx")
    assert len(shown) == 120
    assert display("http://[::1") == "a malformed URL"
    assert display("http://[::1]:80/p") == "http://[::1]/p"


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("Example.ORG", "example.org"),
        ("*.example.org", "example.org"),
        (".example.org.", "example.org"),
        ("bücher.example", "xn--bcher-kva.example"),
    ],
)
def test_domains_of_lists_are_normalised(written, normal):
    assert normal_domain(written) == normal


@pytest.mark.parametrize("domain", ["https://a.org", "example.org/path", "a b", "", "user@a.org", "a.*.b"])
def test_invalid_domain_is_a_config_error(domain):
    with pytest.raises(ConfigError, match="domain"):
        normal_domain(domain)


def test_a_domain_covers_itself_and_what_lies_below():
    assert in_domains("example.org", ["example.org"])
    assert in_domains("A.Example.org.", ["example.org"])
    assert not in_domains("badexample.org", ["example.org"])
    assert not in_domains("example.org.evil.com", ["example.org"])
