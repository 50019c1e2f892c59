"""What errors mean, from status, headers and words alone."""

import socket

import httpx
import pytest

from factreasoner.llm.capabilities import Capabilities
from factreasoner.llm.faults import fault_of, safe_excerpt


class ProviderSaidError(Exception):
    """An error as a provider's library raises it."""

    def __init__(self, status, message="", **headers):
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = httpx.Headers({k.replace("_", "-"): v for k, v in headers.items()})


class UnsupportedParamsError(ProviderSaidError):
    """litellm's own, raised before anything is sent."""


REQUEST = {
    "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
    "temperature": 0.0,
    "max_tokens": 4096,
    "logprobs": True,
}


def fault(error, form="tool", request=REQUEST, fixed=(), secret=None):
    return fault_of(error, form=form, request=request, fixed=fixed, secret=secret)


LITERAL_ERROR = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be "
    "'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or 'json_object'\"}}]"
)
GROQ_TOOL = (
    '{"error":{"message":"Failed to call a function. Please adjust your prompt. See \'failed_generation\' '
    'for more details.","type":"invalid_request_error","code":"tool_use_failed"}}'
)
GROQ_JSON = (
    '{"error":{"message":"Failed to generate JSON. Please adjust your prompt. See \'failed_generation\' for '
    'more details.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{"}}'
)
GRAMMAR_BACKEND = (
    "Grammar-based generation (json_schema, regex, ebnf, structural_tag) is not supported when the server is "
    "launched with --grammar-backend none"
)
ANTHROPIC_CREDIT = (
    '{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to '
    'access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}'
)


# What servers answer, word for word where a body of theirs was at hand

KEY, MODEL, CREDIT = "key", "check `model`", "no credit"
REGION, PACKAGE = "your region", "install the package"

FORM_REFUSED = [
    # vLLM
    (400, "The provided JSON schema contains features not supported by xgrammar."),
    (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
    # TensorRT-LLM
    (400, "Guided decoding is not supported with speculative decoding."),
    # llama.cpp and its server in Python
    (400, '{"code":400,"message":"Failed to initialize samplers: failed to parse grammar"}'),
    (500, "tools param requires --jinja flag"),
    (500, LITERAL_ERROR),
    # SGLang and TokenSpeed
    (400, GRAMMAR_BACKEND),
    (500, GRAMMAR_BACKEND),
    # TGI
    (422, '{"error":"Input validation error: grammar is not supported","error_type":"validation"}'),
    # Ollama
    (400, "registry.ollama.ai/library/gemma3:4b does not support tools"),
    # LM Studio
    (400, "'response_format.type' must be 'json_schema' or 'text'"),
    (400, "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"),
    # OpenAI, Azure
    (400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
    (400, "response_format value as json_schema is enabled only for api versions 2024-08-01-preview"),
    (400, "tool_choice value as required is enabled only for api versions 2024-06-01 and later"),
    (400, "Unrecognized request argument supplied: response_format"),
    (400, "Function calling is not enabled for this model"),
    (400, "This model does not support structured outputs"),
    # Anthropic
    (400, "Thinking may not be enabled when tool_choice forces tool use."),
    (400, "The compiled grammar is too large, which would cause performance issues."),
    # Gemini
    (400, "The specified schema produces a constraint that has too many states for serving."),
    (400, "Function calling is not enabled for models/gemma-3-27b-it"),
    (400, "JSON mode is not enabled for models/gemma-3-27b-it"),
    # DeepSeek, Groq, OpenRouter
    (400, "deepseek-reasoner does not support this tool_choice"),
    (400, "This model does not support response format `json_schema`."),
    (404, "No endpoints found that support tool use"),
    # a gateway
    (501, "Tool calling is not implemented"),
]
CONFIG = [
    (401, "no", KEY),
    (403, "forbidden", KEY),
    (403, "Your request was blocked.", KEY),  # by a firewall, and so is every other
    (400, "API key not valid. Please pass a valid API key.", KEY),
    (500, "Missing credentials. Please pass an `api_key`", KEY),
    (500, "Unable to locate credentials", KEY),
    (500, "The api_key client option must be set either by passing api_key to the client or by", KEY),
    (500, "Could not resolve authentication method. Expected either api_key or auth_token to be set.", KEY),
    (500, "GEMINI_API_KEY/GOOGLE_API_KEY is not set. Please set the environment variable", KEY),
    (500, "credentials not provided. Set GIGACHAT_CREDENTIALS", KEY),
    (400, "invalid_api_key", KEY),
    (400, "Incorrect API key provided: ab***yz. You can obtain an API key from https://x.test.", KEY),
    (400, "The security token included in the request is invalid.", KEY),
    (400, '{"error":{"type":"authentication_error","message":"invalid x-api-key"}}', KEY),
    (500, "Your default credentials were not found. To set up Application Default", KEY),
    (429, "You exceeded your current quota, check your plan and billing details", CREDIT),
    (429, "insufficient_quota", CREDIT),
    (429, "Your account is suspended, please check your plan and billing details", CREDIT),
    (429, "You have no more credits.", CREDIT),
    (402, "This request requires more credits, or fewer max_tokens. You can only afford 12.", CREDIT),
    (400, ANTHROPIC_CREDIT, CREDIT),
    (400, "Insufficient Balance", CREDIT),
    (403, "Country, region, or territory not supported", REGION),
    (400, "User location is not supported for the API use.", REGION),
    (400, "Gemini API free tier is not available in your country. Please enable billing", REGION),
    (400, "LLM Provider NOT provided. Pass in the LLM provider you are trying to call.", "name the provider"),
    (400, "x is not a valid model ID", MODEL),
    (400, '{"message":"Invalid model: mistral-x","type":"invalid_model"}', MODEL),
    (400, '{"error":{"code":"unknown_model","message":"Unknown model: deepseek-v3"}}', MODEL),
    (400, '{"error":{"message":"The requested model is not supported","code":"model_not_supported"}}', MODEL),
    (400, "Model 'local-model' not found", MODEL),
    (400, "The model `mixtral-8x7b-32768` has been decommissioned and is no longer supported.", MODEL),
    (400, "The provided model identifier is invalid.", MODEL),
    (400, "No models loaded. Please load a model in the developer page", MODEL),
    (400, "Model Not Exist", MODEL),
    (404, 'model "llama9" not found, try pulling it first', MODEL),
    (404, "models/gemini-9 is not found for API version v1beta, or is not supported", MODEL),
    (405, "<html><head><title>405 Not Allowed</title></head></html>", MODEL),
    (415, "Unsupported Media Type", MODEL),
    (501, "This server does not support completions. Start it without `--embeddings`", MODEL),
    (500, "Google Cloud SDK not found. Install it with: pip install 'litellm[google]'", PACKAGE),
    (400, "import failed please run `pip install -U x`. Got error: No module named 'vertexai'", PACKAGE),
]
OTHERS = [
    (429, "Request too large: too many tokens in this minute", "retry"),
    (429, '{"error":"Model is overloaded","error_type":"overloaded"}', "retry"),
    (429, "You exceeded your current quota, check your plan and billing. Please retry in 12.5s", "retry"),
    (429, 'check your plan and billing details", "details": [{"retryDelay": "34s"}]', "retry"),
    (429, "try again in 7m12s. Upgrade to Dev Tier at https://console.groq.com/settings/billing", "retry"),
    (502, "<html>Bad gateway</html>", "retry"),
    (503, '{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}', "retry"),
    (503, "server busy, please try again.  maximum pending requests exceeded", "retry"),
    (529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "retry"),
    (408, "late", "retry"),
    (409, "conflict", "retry"),
    (425, "Too early, try again", "retry"),
    (None, "Connection reset by peer", "retry"),
    (500, "tool worker crashed", "retry"),
    (400, "tools: content management policy triggered", "final"),
    (403, "x requires moderation on OpenAI.", "final"),
    (403, 'Your input was flagged for "violence". No credits were charged.', "final"),
    (429, "Slow down, or sign up: no credit card is needed.", "retry"),
    (403, "content_policy_violation", "final"),
    (403, "content_filter", "final"),
    (403, "The prompt was blocked: it asks about a billing dispute", "final"),
    (400, "Invalid content: 'Her billing address is in Rome.'", "final"),
    (400, "seed: Extra inputs are not permitted", "final"),
    (400, GROQ_TOOL, "sample"),
    (400, GROQ_JSON, "sample"),
    (400, "Tool choice is required, but model did not call a tool", "sample"),
    (400, "Tool call validation failed: attempted to call a tool which was not in request.tools", "sample"),
    (400, "'max_tokens' is too large: 4096", "dialect"),
    (500, "Jinja Exception: System role not supported", "dialect"),
    (400, "Only user and assistant roles are supported!", "dialect"),
    (400, "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "dialect"),
    (400, "This model doesn't support system messages. Try again without a system message", "dialect"),
    (400, "Developer instruction is not enabled for models/gemma-3-27b-it", "dialect"),
    (400, "Conversation roles must alternate user/assistant/user/assistant/...", "dialect"),
    (403, "You are not allowed to request logprobs from this model.", "dialect"),
    (422, "logprobs: extra fields not permitted", "dialect"),
    (400, "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.", "dialect"),
    (400, "Logprobs is not enabled for models/gemini-2.5-flash", "dialect"),
]


@pytest.mark.parametrize(("status", "message"), FORM_REFUSED)
def test_unsupported_call_form_is_recognised(status, message):
    assert fault(ProviderSaidError(status, message)).kind == "form"
    assert fault(ProviderSaidError(status, message), form="lines").kind != "form"


@pytest.mark.parametrize(("status", "message", "remedy"), CONFIG)
def test_user_fixable_error_has_a_remedy(status, message, remedy):
    found = fault(ProviderSaidError(status, message))
    assert found.kind == "config"
    assert remedy in found.remedy


@pytest.mark.parametrize("message", [message for _, message, remedy in CONFIG[4:7]])
def test_missing_library_key_is_reported_as_such(message):
    assert fault(ProviderSaidError(500, message)).message == "there is no key"


@pytest.mark.parametrize(("status", "message", "kind"), OTHERS)
def test_kinds(status, message, kind):
    found = fault(ProviderSaidError(status, message))
    assert (found.kind, found.remedy) == (kind, "")


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "too many tokens: total number of tokens in the prompt cannot exceed 4081"),
        (400, "Your input exceeds the context window of this model."),
        (400, "Please reduce the length of the messages or completion. Current length is 9000"),
        (400, "input length and `max_tokens` exceed context limit: 199990 + 4096 > 200000"),
        (500, "input (3926 tokens) is too large to process. increase the physical batch size"),
        (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "the request exceeds the available context size, try increasing it"),
        (400, "Input is too long for requested model."),
        (400, "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it"),
        (
            400,
            "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded "
            "with context length of only 4096 tokens, which is not enough.",
        ),
        (
            400,
            "You passed 9000 input tokens and requested 1024 output tokens. However, the model's context "
            "length is only 4096 tokens, resulting in a maximum input length of 3072 tokens.",
        ),
        (413, "Request exceeds the maximum allowed number of bytes."),
        (413, "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000"),
    ],
)
def test_context_length_error_names_the_fix(status, message):
    found = fault(ProviderSaidError(status, message))
    assert found.kind == "final"
    assert "`atoms_per_call`" in found.remedy


MOST = Capabilities(most_tokens=1000)


@pytest.mark.parametrize(
    ("message", "lesson", "room"),
    [
        ("max_tokens is too large: 4096. This model supports at most 1000 completion tokens", MOST, None),
        ("max_tokens: 4096 > 1000, which is the maximum allowed number of output tokens for x", MOST, None),
        ("`max_tokens` must be less than or equal to `1000`, the maximum value for `max_tokens`", MOST, None),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 1000]", MOST, None),
        ("The maximum tokens you requested exceeds the model limit of 1000. Try again", MOST, None),
        ("maxOutputTokens of 4096 but the range is from 1 (inclusive) to 1001 (exclusive)", MOST, None),
        (
            "This model's maximum context length is 4097 tokens. However, you requested 5000 tokens "
            "(904 in the messages, 4096 in the completion). Please reduce the length of the messages.",
            Capabilities(),
            3193,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length "
            "is 2048 tokens and your request has 300 input tokens (4096 > 2048 - 300).",
            Capabilities(),
            1748,
        ),
        (
            "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 1000 `inputs` tokens and 4096 "
            "`max_new_tokens`",
            Capabilities(),
            3097,
        ),
        ("input length and `max_tokens` exceed context limit: 197000 + 4096 > 200000", Capabilities(), 3000),
    ],
)
def test_reply_limits_and_context_room_are_learned(message, lesson, room):
    found = fault(ProviderSaidError(400, message))
    assert (found.kind, found.lesson, found.room) == ("dialect", lesson, room)


@pytest.mark.parametrize("message", ["OpenAIException - Connection error.", "[Errno 111] Connection refused"])
def test_connection_error_hides_invented_status(message):
    found = fault(ProviderSaidError(500, message))
    assert (found.kind, found.status, found.remedy) == ("retry", None, "connection")


@pytest.mark.parametrize(
    ("cause", "refused"),
    [
        (ConnectionRefusedError(111, "Connection refused"), True),
        (ConnectionResetError(104, "Connection reset by peer"), False),
    ],
)
def test_refused_connection_is_recognised(cause, refused):
    error = ProviderSaidError(500, "OpenAIException - Connection error.")
    error.__cause__ = RuntimeError()
    error.__cause__.__context__ = cause
    found = fault(error)
    assert (found.message, found.remedy, found.refused) == (cause.strerror, "connection", refused)


@pytest.mark.parametrize(
    ("cause", "nameless"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Unknown"), "unknown"),
        (socket.gaierror(socket.EAI_AGAIN, "Not now"), "unresolved"),
        (UnicodeError("label too long"), "unknown"),
    ],
)
def test_unresolved_host_is_recognised(cause, nameless):
    error = ProviderSaidError(500, "OpenAIException - Connection error.")
    error.__cause__ = cause
    found = fault(error)
    assert (found.nameless, found.refused) == (nameless, True)
    assert found.message.startswith("the name of the host does not resolve (")


@pytest.mark.parametrize(
    ("message", "most"),
    [
        ("Requested sample logprobs of 20, which is greater than max allowed: 10 (parameter=logprobs)", 10),
        ("Invalid value for top_logprobs: must be less than or equal to 8", 8),
        ("top_logprobs must be between 0 and 8", 8),
        ("Invalid 'top_logprobs': integer above maximum value. Expected a value <= 8, but got 20.", 8),
        ("Invalid top_logprobs value, the valid range of top_logprobs is [0, 8]", 8),
        ("top_logprobs: not so many", 5),
    ],
)
def test_how_many_alternatives_a_server_gives(message, most):
    found = fault(ProviderSaidError(400, message), request=REQUEST | {"top_logprobs": 20})
    assert (found.kind, found.lesson) == ("dialect", Capabilities(most_alternatives=most))


def test_last_form_is_never_refused():
    assert fault(ProviderSaidError(400, "tools"), form="lines").kind == "final"


def test_only_sent_optional_parameters_can_be_refused():
    error = ProviderSaidError(400, "temperature and logprobs are not supported")
    assert fault(error).lesson.refused == {"temperature", "logprobs"}
    bare = {"messages": REQUEST["messages"]}
    assert fault(error, request=bare | {"temperature": 0.0}).lesson.refused == {"temperature"}
    assert fault(error, request=bare).kind == "final"
    assert fault(error, fixed={"temperature"}).lesson.refused == {"logprobs"}


def test_library_refusals_are_classified():
    error = UnsupportedParamsError(400, "anthropic does not support parameters: ['logprobs', 'top_logprobs']")
    assert fault(error).lesson.refused == {"logprobs"}
    assert fault(UnsupportedParamsError(400, "x does not support parameters: ['tools']")).kind == "form"


def test_refused_user_parameters_are_named():
    text = (
        "openai does not support parameters: ['top_p', 'temperature'], for model=x. To drop these, set "
        "`litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. "
    )
    found = fault(UnsupportedParamsError(400, text), fixed={"top_p"})
    assert (found.kind, found.remedy) == ("config", "remove top_p")
    assert found.message == "openai does not support parameters: ['top_p', 'temperature'], for model=x"
    assert fault(UnsupportedParamsError(400, text)).lesson.refused == {"temperature"}


def test_missing_package_is_named_in_the_remedy():
    module = fault(ProviderSaidError(500, "No module named 'boto3'"))
    assert module.remedy == "install the package this provider needs: pip install boto3"
    told = fault(ProviderSaidError(500, "No module named 'google': pip install google-auth"))
    assert told.remedy == "install the package this provider needs"


def test_retry_after_headers_are_found():
    assert fault(ProviderSaidError(429, "slow down", retry_after="7")).retry_after == 7.0
    plain = Exception("slow down")
    plain.status_code = 503
    plain.response = httpx.Response(503, headers={"Retry-After": "2"})
    assert fault(plain).retry_after == 2.0


# What is shown


def test_keys_are_never_shown(monkeypatch):
    monkeypatch.setenv("SOME_VENDOR_API_KEY", "plain-words-as-a-key")
    monkeypatch.setenv("DB_PASSWORD", "hunter2hunter2")
    text = safe_excerpt(
        "key plain-words-as-a-key, own-secret, sk-proj-abc_123*456, AIzaSyA1234567890, Bearer eyJhbGciOi, "
        "http://me:pw@host/v1?key=abc123 hunter2hunter2",
        secret="own-secret",
    )
    for secret in ("plain-words", "own-secret", "abc_123", "AIza", "eyJ", "me:pw", "abc123", "hunter2"):
        assert secret not in text
    assert "host/v1" in text


def test_messages_are_short_lines_without_a_traceback():
    error = "litellm.InternalServerError: InternalServerError: OpenAIException - bad\n  news\n"
    text = safe_excerpt(f"{error}Traceback (most recent call last):\n  File x")
    assert text == "bad news"
    assert len(safe_excerpt("x" * 5000)) == 300
    assert safe_excerpt(
        'AnthropicException - {"error": {"type": "x", "message": "no \\"such\\" thing"}}'
    ) == ('no \\"such\\" thing')
