"""How busy a GPU was

Utilization is a rate over a rate, and either can be somebody else's. The work of a token is an estimator's (chapter 13). The
peak is that of a precision, with or without sparsity, of a chip or of one of its two devices, or of another machine that a
tool falls back to. Tokens may be lost on the way, where a rank of a context-parallel group counts its own part or where one
microbatch stands for the update; and the rate of a whole job may meet the peak of one GPU.

The chapter makes each of these a convention, from what was measured to the share that is printed. A run may be known by the
time of an update, by tokens a second or by FLOPs a second: each is an input from which the rest follows. Long trainings are
known by less, parameters, tokens and GPU hours, and have an account of their own.
"""

from symroof import FLOP, POSITIVE, argument, convention, quantity, second, symbol

trained_tokens = symbol("token", "tokens of a whole training", latex=r"D_{\mathrm{run}}")
training_time = symbol("s", "time of a whole training, by the clock", latex=r"t_{\mathrm{run}}", domain=POSITIVE)

PRINTED = "utilization in public reports"

peak = convention(
    "which peak a rate is set over",
    default="dense_bf16",
    ref="torchtitan get_peak_flops; Megatron-LM issue 1565 for sparsity; OLMo-core pull request 817 for the fallback",
    mistaken=("sparse_bf16", "a100", "h100_sparse"),
    dense_bf16="dense BF16, of the whole chip",
    elsewhere="dense BF16 as other places print it",
    sparse_bf16="BF16 with 2:4 sparsity, which training does not use",
    fp8="dense FP8",
    fp4="dense FP4",
    half_chip="dense BF16 of half a chip, for chips that programs see as two devices",
    a100="that of an A100, which tools fall back to for a GPU that they do not know",
    h100_sparse="that of an H100 with sparsity, which NeMo Automodel takes where it is told none",
)
gpu_normalisation = convention(
    "whose rate is set over the peak of one GPU",
    default="per_gpu",
    ref="Hugging Face blog issue 1649: a job of 16 GPUs over the peak of one",
    mistaken=("whole_job", "per_node"),
    per_gpu="one GPU's",
    whole_job="that of all GPUs together",
    per_node="that of a node",
)
token_normalisation = convention(
    "which tokens of an update are counted",
    default="all",
    ref="prime-rl pull request 2424: tokens divided by the context-parallel degree",
    mistaken=("per_cp_rank", "one_microbatch"),
    all="all of them",
    per_cp_rank="those that one rank of a context-parallel group holds",
    one_microbatch="those of one microbatch: accumulation is forgotten",
)


@quantity("FLOP/s", latex=r"F_{\mathrm{peak}}'", ref="the peak convention in force")
def counted_peak(peak, peak_flops, peak_flops_elsewhere, peak_flops_sparse, peak_flops_fp8, peak_flops_fp4):
    """Peak that a rate is set over."""
    return peak.choose(
        dense_bf16=peak_flops,
        elsewhere=peak_flops_elsewhere,
        sparse_bf16=peak_flops_sparse,
        fp8=peak_flops_fp8,
        fp4=peak_flops_fp4,
        half_chip=peak_flops / 2,
        a100=312 * 10**12 * FLOP / second,
        h100_sparse=1979 * 10**12 * FLOP / second,
    )


@quantity("GPU", latex=r"g", ref="the normalisation in force")
def counted_gpus(gpu_normalisation, world, node_gpus):
    """GPUs whose rate together is set over the peak of one; right is 1."""
    return gpu_normalisation.choose(per_gpu=1, whole_job=world, per_node=node_gpus)


@argument("s", latex=r"t_{\mathrm{upd}}", ref="time of an update as it was measured; by default from the measured throughput")
def observed_update_time(measured_step_time):
    """Measured time of an update."""
    return measured_step_time


@quantity("token/update", latex=r"D'", ref="the token normalisation in force")
def observed_tokens(token_normalisation, global_batch_tokens, CP, M):
    """Tokens of an update, as they are counted."""
    return token_normalisation.choose(
        all=global_batch_tokens, per_cp_rank=global_batch_tokens / CP, one_microbatch=global_batch_tokens / M
    )


@quantity("token/s", latex=r"\tau_{\mathrm{job}}", ref=PRINTED + ": tokens of an update over its time")
def observed_job_throughput(observed_tokens, observed_update_time):
    """Tokens a second of the whole job."""
    return observed_tokens / observed_update_time


@quantity("token/s/GPU", latex=r"\tau_{\mathrm{obs}}", ref=PRINTED + ": the job's rate over its GPUs")
def observed_throughput(observed_job_throughput, world):
    """Tokens a second of one GPU."""
    return observed_job_throughput / world


@quantity("FLOP/s/GPU", latex=r"F_{\mathrm{obs}}", ref=PRINTED + ": model FLOPs a second and GPU, by the estimator in force")
def observed_flops(model_flops_per_token, observed_throughput):
    """Useful FLOPs a second of one GPU."""
    return model_flops_per_token * observed_throughput


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{obs}}", ref="PaLM, arXiv 2204.02311: model FLOPs a second over the peak")
def observed_MFU(observed_flops, counted_gpus, counted_peak):
    """Model FLOP utilization of a measured run, by the conventions in force."""
    return observed_flops * counted_gpus / counted_peak


@quantity("1", latex=r"\mathrm{HFU}_{\mathrm{obs}}", ref="PaLM, arXiv 2204.02311: executed FLOPs a second over the peak")
def observed_HFU(executed_flops_per_token, observed_throughput, counted_gpus, counted_peak):
    """Hardware FLOP utilization of a measured run: recomputed work counts."""
    return executed_flops_per_token * observed_throughput * counted_gpus / counted_peak


@argument("parameter", latex=r"N_{\mathrm{run}}", ref="the N of 6 N D: active parameters, as somebody rounds them")
def trained_parameters(active_parameters):
    """Parameters that a token of a training meets."""
    return active_parameters


@quantity("FLOP", latex=r"F_{\mathrm{run}}", ref="6 N D for training; 8 N D with the forward pass done twice; 2 N D is inference")
def training_flops(counted_passes, trained_parameters, trained_tokens):
    """FLOPs of a whole training from its parameters and tokens; attention is not in it."""
    return 2 * FLOP * counted_passes * trained_parameters * trained_tokens


@argument("s", latex=r"t_{\mathrm{GPU}}", ref="GPU hours are time by the clock times GPUs")
def training_gpu_time(training_time, world):
    """GPU time of a whole training, all GPUs together."""
    return training_time * world


@quantity("FLOP/s/GPU", latex=r"F_{\mathrm{run},s}", ref="FLOPs of a training over its GPU time")
def training_rate(training_flops, training_gpu_time):
    """FLOPs a second of one GPU, in the mean over a training."""
    return training_flops / training_gpu_time


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{run}}", ref="the mean rate over the peak; restarts and evaluation count as idle")
def training_MFU(training_rate, counted_gpus, counted_peak):
    """Model FLOP utilization of a whole training, by the conventions in force."""
    return training_rate * counted_gpus / counted_peak
