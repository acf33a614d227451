"""Times other tools on a GPU on the work of bench.cu: torch.bincount on bin and label, and torchmetrics if it is there."""
import statistics
import sys

import torch


def milliseconds(run, runs=7):
    for _ in range(2):
        run()
    times = []
    for _ in range(runs):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        run()
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b))
    return statistics.median(times)


def main():
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000_000
    print(torch.cuda.get_device_name(), "torch", torch.__version__)
    torch.manual_seed(0)
    p = torch.rand(n, device="cuda")
    y = (torch.rand(n, device="cuda") < p * p).to(torch.uint8)

    def bincount():
        cell = (p * 15).to(torch.int32).clamp_(max=14) * 2 + y
        count = torch.bincount(cell, minlength=30)
        return count

    print(f"torch.bincount of bin and label, {n} forecasts: {milliseconds(bincount):.3f} ms")
    cell = ((p * 15).to(torch.int32).clamp_(max=14) * 2 + y)
    print(f"  the bincount alone: {milliseconds(lambda: torch.bincount(cell, minlength=30)):.3f} ms")
    del cell
    try:
        from torchmetrics.functional.classification import binary_calibration_error, multiclass_calibration_error
    except ImportError:
        print("torchmetrics is not installed")
        return
    few = min(n, 100_000_000)
    took = milliseconds(lambda: binary_calibration_error(p[:few], y[:few].int(), n_bins=15), 3)
    print(f"torchmetrics binary_calibration_error, {few} forecasts: {took:.3f} ms")
    del p, y
    z = torch.rand(10_000, 1000, device="cuda").softmax(1)
    label = torch.randint(0, 1000, (10_000,), device="cuda")
    took = milliseconds(lambda: multiclass_calibration_error(z, label, num_classes=1000, n_bins=15), 21)
    print(f"torchmetrics multiclass_calibration_error, 10000 x 1000: {took * 1000:.1f} microseconds")


if __name__ == "__main__":
    main()
