"""Small ONNX classifiers with their tokenizers, built on the spot and laid out as on the hub.

`pooled` has random weights, and its outputs hang on every token, its place and its part; `overlap` counts
words, so that what it says can be told without it: see :func:`overlap_label`.
"""

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = """marie curie was born in warsaw on november and studied physics paris the a of is not never lake
river lena angara which who she he it only flows out first second prize nobel chemistry married pierre city
people million large small old new capital france peru poland built year two three four tower bridge house
tree song bird one . , ! ? ' ( ) - ; :"""
WORDS = tuple(TEXT.split())
OF_DOCTOR = ("library", "opens", "at", "nine")
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
PAD, CLS, SEP, UNK = range(4)
VOCABULARY = 600
WIDTH = 12
THREE = ("contradiction", "entailment", "neutral")
NEGATION = "not"


def tokenizer(*, cut=True):
    """A word-level tokenizer that, like many saved ones, cuts and pads all pairs to sixteen tokens."""
    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *WORDS, *OF_DOCTOR])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", CLS), ("[SEP]", SEP)],
    )
    if cut:
        made.enable_truncation(16)
        made.enable_padding(length=16, pad_id=PAD, pad_token="[PAD]")
    return made


def byte_tokenizer(special=("<s>", "<pad>", "</s>", "<unk>")):
    """A byte-level tokenizer as RoBERTa has: two separators between the texts, no parts."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([" ".join(WORDS)], trainer)
    if "</s>" in special:
        made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return made


def metaspace_tokenizer(single="$A </s>", special=("<pad>", "</s>", "<unk>"), prepend="always"):
    """A tokenizer of whole words that begin with the mark of a space, as SentencePiece's do."""
    named = [*special, *(f"▁{word}" for word in WORDS), *"▁abcdefghijklmnopqrstuvwxyz.,:?"]
    made = Tokenizer(
        models.Unigram([(name, -float(n)) for n, name in enumerate(dict.fromkeys(named))], unk_id=2)
    )
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=prepend)
    made.add_special_tokens(list(special))
    tokens = [(token, made.token_to_id(token)) for token in special]
    pair = f"{single} {single.replace('$A', '$B')}"
    made.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=tokens)
    return made


def deberta_tokenizer():
    """A word begins with the mark of a space wherever a text does, after [SEP] as well."""
    return metaspace_tokenizer("[CLS] $A [SEP]", ("[PAD]", "[CLS]", "[UNK]", "[SEP]"))


def modernbert_tokenizer():
    """Bytes, as RoBERTa has them, and one separator."""
    made = byte_tokenizer(special=["[CLS]", "[PAD]", "[SEP]", "[UNK]"])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 2)]
    )
    return made


def each_token(*, outputs=2, positions=64, seed=0):
    """Like `pooled` without parts, but one row of outputs a token: of its hidden state and the mean's sum."""
    model = pooled(outputs=outputs, parts=False, positions=positions, seed=seed)
    return _instead_of_last(
        model,
        helper.make_node("Unsqueeze", ["mean", "axis"], ["mean3"]),
        helper.make_node("Add", ["hidden", "mean3"], ["each"]),
        helper.make_node("MatMul", ["each", "w2"], ["logits"]),
        shape=["batch", "sequence", outputs],
    )


def one_step(*, words=300, positions=64, seed=0):
    """Like `pooled` without parts, but a decoder's first step: logits of words, by its input and the mean."""
    model = pooled(outputs=words, parts=False, positions=positions, seed=seed)
    given = helper.make_tensor_value_info("decoder_input_ids", TensorProto.INT64, ["batch", "steps"])
    model.graph.input.append(given)
    return _instead_of_last(
        model,
        helper.make_node("Gather", ["words", "decoder_input_ids"], ["start"]),
        helper.make_node("Unsqueeze", ["mean", "axis"], ["mean3"]),
        helper.make_node("Add", ["start", "mean3"], ["each"]),
        helper.make_node("MatMul", ["each", "w2"], ["logits"]),
        shape=["batch", "steps", words],
    )


def _instead_of_last(model, *nodes, shape):
    """The model with other nodes in the place of its last one, which made the logits."""
    del model.graph.node[-1]
    model.graph.node.extend(nodes)
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    return model


def pooled(*, outputs=3, parts=True, positions=64, seed=0, dtype=TensorProto.INT64, quantized=False):
    """Mean of tanh(W(embedding + position + part)) over the tokens, and a linear layer, drawn by a seed."""
    draw = np.random.default_rng(seed)

    def weights(name, *shape):
        return numpy_helper.from_array(draw.normal(size=shape).astype(np.float32), name)

    tables = [
        weights("words", VOCABULARY, WIDTH),
        weights("places", positions, WIDTH),
        weights("kinds", 2, WIDTH),
    ]
    layers = [weights("w1", WIDTH, WIDTH), weights("w2", WIDTH, outputs)]
    constants = [_ints("axis", 1), _ints("last", 2)]
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["ids"], to=TensorProto.INT64),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.INT64),
        helper.make_node("CumSum", ["mask", "axis0"], ["counted"]),
        helper.make_node("Mul", ["counted", "mask"], ["numbered"]),
        helper.make_node("Gather", ["words", "ids"], ["e"]),
        helper.make_node("Gather", ["places", "numbered"], ["p"]),
        helper.make_node("Add", ["e", "p"], ["ep"]),
    ]
    if parts:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.INT64),
            helper.make_node("Gather", ["kinds", "types"], ["t"]),
            helper.make_node("Add", ["ep", "t"], ["x"]),
        ]
    else:
        nodes.append(helper.make_node("Identity", ["ep"], ["x"]))
    nodes += _dense(quantized)
    nodes += [
        helper.make_node("Tanh", ["h"], ["hidden"]),
        helper.make_node("Cast", ["mask"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["m", "last"], ["m3"]),
        helper.make_node("Mul", ["hidden", "m3"], ["kept"]),
        helper.make_node("ReduceSum", ["kept", "axis"], ["summed"], keepdims=0),
        helper.make_node("ReduceSum", ["m", "axis"], ["length"], keepdims=1),
        helper.make_node("Div", ["summed", "length"], ["mean"]),
        helper.make_node("MatMul", ["mean", "w2"], ["logits"]),
    ]
    axis0 = numpy_helper.from_array(np.array(1, dtype=np.int64), "axis0")
    return _model(nodes, [*tables, *layers, *constants, axis0], outputs, parts=parts, dtype=dtype)


def _dense(quantized):
    """h = x times w1; quantized as exporters do it, with one scale for the whole batch."""
    if not quantized:
        return [helper.make_node("MatMul", ["x", "w1"], ["h"])]
    return [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]),
        helper.make_node("DynamicQuantizeLinear", ["w1"], ["wq", "ws", "wz"]),
        helper.make_node("MatMulInteger", ["xq", "wq", "xz", "wz"], ["product"]),
        helper.make_node("Cast", ["product"], ["whole"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["xs", "ws"], ["scale"]),
        helper.make_node("Mul", ["whole", "scale"], ["h"]),
    ]


def overlap(labels=THREE):
    """Looks how many of the claim's tokens stand in the premise, and for "not" in one of them alone."""
    negation = len(SPECIAL) + WORDS.index(NEGATION)
    nodes = [
        helper.make_node("Greater", ["input_ids", "unk"], ["word"]),
        helper.make_node("Cast", ["word"], ["w"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["fone", "second"], ["first"]),
        helper.make_node("Cast", ["attention_mask"], ["m"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["w", "m"], ["wm"]),
        helper.make_node("Mul", ["wm", "first"], ["premise"]),
        helper.make_node("Mul", ["wm", "second"], ["claim"]),
        helper.make_node("Unsqueeze", ["input_ids", "axis"], ["row"]),
        helper.make_node("Unsqueeze", ["input_ids", "last"], ["column"]),
        helper.make_node("Equal", ["column", "row"], ["same"]),
        helper.make_node("Cast", ["same"], ["s"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["premise", "axis"], ["premise3"]),
        helper.make_node("Mul", ["s", "premise3"], ["matched"]),
        helper.make_node("ReduceMax", ["matched", "last"], ["covered"], keepdims=0),
        helper.make_node("Equal", ["input_ids", "no"], ["isno"]),
        helper.make_node("Cast", ["isno"], ["negating"], to=TensorProto.FLOAT),
        helper.make_node("Sub", ["fone", "negating"], ["plain"]),
        helper.make_node("Mul", ["claim", "plain"], ["content"]),
        helper.make_node("Mul", ["covered", "content"], ["found"]),
        helper.make_node("ReduceSum", ["found", "axis"], ["n"], keepdims=1),
        helper.make_node("ReduceSum", ["content", "axis"], ["total"], keepdims=1),
        helper.make_node("Div", ["n", "total"], ["share"]),
        helper.make_node("Mul", ["premise", "negating"], ["no1"]),
        helper.make_node("Mul", ["claim", "negating"], ["no2"]),
        helper.make_node("ReduceMax", ["no1", "axis"], ["has1"], keepdims=1),
        helper.make_node("ReduceMax", ["no2", "axis"], ["has2"], keepdims=1),
        helper.make_node("Sub", ["has1", "has2"], ["differ"]),
        helper.make_node("Abs", ["differ"], ["clash"]),
        helper.make_node("Sub", ["share", "bar"], ["over"]),
        helper.make_node("Mul", ["over", "steep"], ["sure"]),
        helper.make_node("Sub", ["fone", "clash"], ["agree"]),
        helper.make_node("Mul", ["agree", "eight"], ["yes8"]),
        helper.make_node("Mul", ["clash", "eight"], ["no8"]),
        helper.make_node("Add", ["sure", "yes8"], ["entailment"]),
        helper.make_node("Add", ["sure", "no8"], ["contradiction"]),
        helper.make_node("Mul", ["share", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "eight"], ["neutral"]),
        helper.make_node("Concat", [*labels], ["logits"], axis=1),
    ]
    floats = {"fone": 1, "bar": 0.9, "steep": 20, "eight": 8, "zero": 0}
    constants = [numpy_helper.from_array(np.array([v], dtype=np.float32), k) for k, v in floats.items()]
    constants += [_ints("axis", 1), _ints("last", 2), _ints("unk", UNK), _ints("no", negation)]
    return _model(nodes, constants, len(labels))


def overlap_label(premise, claim):
    """What `overlap` says, told from the words alone."""
    cut = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    first, second = ([w for w, _ in cut(text.lower()) if w in WORDS] for text in (premise, claim))
    content = [word for word in second if word != NEGATION]
    if sum(word in first for word in content) / len(content) <= 0.9:
        return "neutral"
    return "contradiction" if (NEGATION in first) != (NEGATION in second) else "entailment"


def _ints(name, *values):
    return numpy_helper.from_array(np.array(values, dtype=np.int64), name)


def _model(nodes, initializers, outputs, *, parts=True, dtype=TensorProto.INT64):
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if parts else [])]
    inputs = [helper.make_tensor_value_info(name, dtype, ["batch", "sequence"]) for name in names]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", outputs])
    graph = helper.make_graph(nodes, "classifier", inputs, [logits], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def save(folder: Path, model, *, labels=THREE, graph="onnx/model.onnx", made=None, **settings):
    """Write a model as the hub has it: settings and tokenizer above the graph."""
    path = folder / graph
    path.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, path)
    config = {"model_type": "bert", "pad_token_id": PAD, "max_position_embeddings": 63}
    config |= {"id2label": {str(n): name for n, name in enumerate(labels)}} | settings
    (folder / "config.json").write_text(json.dumps(config))
    (made or tokenizer()).save(str(folder / "tokenizer.json"))
    # What transformers writes where a tokenizer knows no limit.
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": int(1e30)}))
    return folder
