import re

from whyword.web.metrics import Metrics

LINE = re.compile(r'[a-z_]+(\{([a-z]+="[^"\\]*",?)+\})? [0-9.]+')


def test_every_line_is_as_prometheus_reads_it():
    metrics = Metrics()
    metrics.request("/v1/predict", 200, 0.02)
    metrics.batch("predict", 3)
    metrics.waiting["predict"] = 2
    text = metrics.text()
    assert text.endswith("\n")
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or LINE.fullmatch(line), line


def test_buckets_count_all_values_up_to_their_bound():
    metrics = Metrics()
    for texts in (1, 2, 3, 64, 1000):
        metrics.batch("predict", texts)
    lines = metrics.text().splitlines()
    counts = {
        line.partition('le="')[2].partition('"')[0]: int(line.rpartition(" ")[2])
        for line in lines
        if line.startswith("whyword_batch_texts_bucket")
    }
    assert counts == {"1": 1, "2": 2, "4": 3, "8": 3, "16": 3, "32": 3, "64": 4, "128": 4, "256": 4, "+Inf": 5}
    assert 'whyword_batch_texts_sum{queue="predict"} 1070.000000' in lines
    assert 'whyword_batch_texts_count{queue="predict"} 5' in lines
