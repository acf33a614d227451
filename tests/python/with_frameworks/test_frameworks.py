"""Arrays of JAX and TensorFlow: read in place, the bits of numpy, and what they cannot give said in a sentence."""
import numpy as np
import pytest

import plumb

jax = pytest.importorskip("jax")
tensorflow = pytest.importorskip("tensorflow")

RNG = np.random.default_rng(0)
P = RNG.random(1000).astype(np.float32)
Y = (RNG.random(1000) < P).astype(np.int32)
Z = RNG.normal(size=(300, 4)).astype(np.float32)
L = RNG.integers(0, 4, 300)
KINDS = {"jax": jax.numpy.asarray, "tensorflow": tensorflow.constant}


def values(result):
    return {name: value for name, value in result.to_dict().items() if name not in ("argv", "inputs")}


@pytest.mark.parametrize("kind", KINDS)
def test_the_bits_of_numpy(kind):
    make = KINDS[kind]
    assert values(plumb.evaluate(probs=make(P), labels=make(Y), metrics="all", bandwidth=0.05)) == \
        values(plumb.evaluate(probs=P, labels=Y, metrics="all", bandwidth=0.05))
    assert values(plumb.evaluate(logits=make(Z), labels=make(L.astype(np.int32)))) == \
        values(plumb.evaluate(logits=Z, labels=L.astype(np.int32)))


@pytest.mark.parametrize("kind", KINDS)
def test_other_types(kind):
    make = KINDS[kind]
    assert plumb.metrics.ece(make(P), make(Y == 1)) == plumb.metrics.ece(P, Y)
    half = make(P.astype(np.float16))
    assert plumb.metrics.ece(half, make(Y)) == plumb.metrics.ece(P.astype(np.float16), Y)
    if kind == "jax":
        short = jax.numpy.asarray(P, dtype=jax.numpy.bfloat16)
        widened = np.asarray(short.astype(jax.numpy.float32))
    else:
        short = tensorflow.cast(P, tensorflow.bfloat16)
        widened = tensorflow.cast(short, tensorflow.float32).numpy()
    assert plumb.metrics.ece(short, Y) == plumb.metrics.ece(widened, Y)


def test_nothing_is_copied():
    """A change of the memory behind a tensor is seen: TensorFlow and JAX lend what they hold."""
    for array in (jax.numpy.asarray(P), tensorflow.constant(P)):
        lent = np.from_dlpack(array)
        assert plumb.evaluate(probs=array, labels=Y).to_dict()["inputs"][0]["dtype"] == "float32" and not lent.flags.owndata


def test_results_of_compiled_functions():
    softmax = jax.jit(jax.nn.softmax)
    assert plumb.metrics.ece(softmax(jax.numpy.asarray(Z)), L) == plumb.metrics.ece(np.asarray(softmax(jax.numpy.asarray(Z))), L)
    with pytest.raises(Exception, match="traced"):
        jax.jit(lambda p: plumb.metrics.ece(p, Y))(jax.numpy.asarray(P))


def test_variables_and_text():
    assert plumb.metrics.ece(tensorflow.Variable(P), Y) == plumb.metrics.ece(P, Y)
    result = plumb.evaluate(probs=tensorflow.constant([[0.2, 0.8], [0.6, 0.4]]), labels=tensorflow.constant(["b", "a"]), classes=["a", "b"])
    assert result["accuracy"].value == 1
    with pytest.raises(TypeError, match="probs"):
        plumb.metrics.ece(tensorflow.ragged.constant([[0.5, 0.5], [1.0]]), [0, 1])


def test_metrics_inside_keras():
    """A callback of Keras is a function that calls plumb."""
    keras = tensorflow.keras
    model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(4)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    seen = []
    after = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(plumb.metrics.ece(logits=model(Z), labels=L)))
    model.fit(Z, L, epochs=2, verbose=0, callbacks=[after])
    assert len(seen) == 2 and all(0 <= x <= 1 for x in seen)
