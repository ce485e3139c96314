//! Prometheus' text format (version 0.0.4), as our own `/metrics` writes it, as OTLP's metrics.

use opentelemetry_proto::tonic::{
    common::v1::KeyValue,
    metrics::v1::{
        AggregationTemporality, Gauge, Histogram, HistogramDataPoint, Metric, NumberDataPoint, Sum, Summary,
        SummaryDataPoint, metric::Data, number_data_point, summary_data_point::ValueAtQuantile,
    },
};

use super::attribute;

const CUMULATIVE: i32 = AggregationTemporality::Cumulative as i32;

/// A sample's labels: names and values.
type Labels<'a> = Vec<(&'a str, String)>;

/// All metrics of a text, as recorded from `begun` to `now` (nanoseconds since 1970).
pub fn read(text: &str, begun: u64, now: u64) -> Vec<Metric> {
    let mut reading = Reading { begun, now, metrics: Vec::new(), help: "" };
    for line in text.lines() {
        reading.line(line);
    }
    reading.metrics
}

struct Reading<'a> {
    begun: u64,
    now: u64,
    metrics: Vec<Metric>,
    help: &'a str,
}

impl<'a> Reading<'a> {
    fn line(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            self.help = rest.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|rest| rest.split_once(' '))
        {
            let description = std::mem::take(&mut self.help).to_owned();
            let metric = Metric { name: name.to_owned(), description, data: data(kind), ..Metric::default() };
            self.metrics.push(metric);
        } else if let Some((name, labels, value)) = sample(line) {
            self.sample(name, labels, value);
        }
    }

    /// Adds a sample to the metric whose samples are being read.
    fn sample(&mut self, name: &str, mut labels: Labels<'_>, value: f64) {
        let (begun, now) = (self.begun, self.now);
        let Some(metric) = self.metrics.last_mut() else { return };
        let Some(part) = name.strip_prefix(metric.name.as_str()) else { return };
        let special = labels.pop_if(|(key, _)| matches!(*key, "le" | "quantile")).map(|(_, value)| value);
        let attributes: Vec<KeyValue> = labels.iter().map(|(key, value)| attribute(key, value)).collect();
        match &mut metric.data {
            Some(Data::Sum(Sum { data_points, .. }) | Data::Gauge(Gauge { data_points })) => {
                let value = Some(number_data_point::Value::AsDouble(value));
                data_points.push(NumberDataPoint {
                    attributes,
                    start_time_unix_nano: begun,
                    time_unix_nano: now,
                    value,
                    ..NumberDataPoint::default()
                });
            }
            Some(Data::Histogram(Histogram { data_points, .. })) => {
                if data_points.last().is_none_or(|point| point.attributes != attributes) {
                    data_points.push(HistogramDataPoint {
                        attributes,
                        start_time_unix_nano: begun,
                        time_unix_nano: now,
                        ..HistogramDataPoint::default()
                    });
                }
                if let Some(point) = data_points.last_mut() {
                    into_histogram(point, part, special.as_deref(), value);
                }
            }
            Some(Data::Summary(Summary { data_points })) => {
                if data_points.last().is_none_or(|point| point.attributes != attributes) {
                    data_points.push(SummaryDataPoint {
                        attributes,
                        start_time_unix_nano: begun,
                        time_unix_nano: now,
                        ..SummaryDataPoint::default()
                    });
                }
                if let Some(point) = data_points.last_mut() {
                    into_summary(point, part, special.as_deref(), value);
                }
            }
            _ => {}
        }
    }
}

/// An empty metric of a kind; none for one that is not known.
fn data(kind: &str) -> Option<Data> {
    let temporality = CUMULATIVE;
    match kind {
        "counter" => Some(Data::Sum(Sum {
            aggregation_temporality: temporality,
            is_monotonic: true,
            ..Sum::default()
        })),
        "gauge" => Some(Data::Gauge(Gauge::default())),
        "histogram" => {
            Some(Data::Histogram(Histogram { aggregation_temporality: temporality, ..Histogram::default() }))
        }
        "summary" => Some(Data::Summary(Summary::default())),
        _ => None,
    }
}

/// The text counts all up to a bound; OTLP counts what lies between two, and has no bound for the last.
fn into_histogram(point: &mut HistogramDataPoint, part: &str, bound: Option<&str>, value: f64) {
    match (part, bound) {
        ("_bucket", Some(bound)) => {
            let below: u64 = point.bucket_counts.iter().sum();
            point.bucket_counts.push(whole(value).saturating_sub(below));
            point.explicit_bounds.extend(bound.parse::<f64>().ok().filter(|bound| bound.is_finite()));
        }
        ("_sum", None) => point.sum = Some(value),
        ("_count", None) => point.count = whole(value),
        _ => {}
    }
}

fn into_summary(point: &mut SummaryDataPoint, part: &str, quantile: Option<&str>, value: f64) {
    match (part, quantile.and_then(|quantile| quantile.parse().ok())) {
        ("", Some(quantile)) => point.quantile_values.push(ValueAtQuantile { quantile, value }),
        ("_sum", None) => point.sum = value,
        ("_count", None) => point.count = whole(value),
        _ => {}
    }
}

/// A count.
fn whole(value: f64) -> u64 {
    value as u64
}

/// A line's name, labels and value.
fn sample(line: &str) -> Option<(&str, Labels<'_>, f64)> {
    let (head, value) = line.rsplit_once(' ')?;
    let (name, labels) = match head.split_once('{') {
        Some((name, labels)) => (name, labels.strip_suffix('}')?),
        None => (head, ""),
    };
    Some((name, labels_of(labels)?, value.parse().ok()?))
}

/// `a="1",b="2"`, with backslashes before quotes, backslashes and (as `n`) ends of lines.
fn labels_of(mut text: &str) -> Option<Labels<'_>> {
    let mut labels = Vec::new();
    while !text.is_empty() {
        let (key, rest) = text.split_once("=\"")?;
        let (mut value, mut escaped) = (String::new(), false);
        let mut end = None;
        for (place, letter) in rest.char_indices() {
            match letter {
                'n' if escaped => value.push('\n'),
                '\\' if !escaped => {
                    escaped = true;
                    continue;
                }
                '"' if !escaped => {
                    end = Some(place);
                    break;
                }
                other => value.push(other),
            }
            escaped = false;
        }
        labels.push((key, value));
        text = rest.get(end? + 1..)?;
        text = text.strip_prefix(',').unwrap_or(text);
    }
    Some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every kind of metric is read with its help, its labels and its numbers, and what a histogram counts is what lies in its buckets.
    #[test]
    fn the_text_is_read_as_otlp_has_it() {
        let text = "# HELP calls Calls, by method.\n# TYPE calls counter\ncalls{method=\"/a.B/C\",code=\"say \\\"ok\\\\\"} 12\n\
                    calls{method=\"/a.B/D\"} 3\n\n# TYPE open gauge\nopen -2.5\n\n# HELP times Times.\n# TYPE times histogram\n\
                    times_bucket{m=\"x\",le=\"0.5\"} 2\ntimes_bucket{m=\"x\",le=\"1\"} 2\ntimes_bucket{m=\"x\",le=\"+Inf\"} 7\n\
                    times_sum{m=\"x\"} 9.5\ntimes_count{m=\"x\"} 7\ntimes_bucket{m=\"y\",le=\"+Inf\"} 0\ntimes_sum{m=\"y\"} 0\n\
                    times_count{m=\"y\"} 0\n\n# TYPE sizes summary\nsizes{quantile=\"0.9\"} 4\nsizes_sum 5\nsizes_count 6\n";
        let read = read(text, 1, 2);
        let names: Vec<_> = read.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(names, ["calls", "open", "times", "sizes"]);
        assert_eq!(read[0].description, "Calls, by method.");
        let [Data::Sum(sum), Data::Gauge(gauge), Data::Histogram(times), Data::Summary(sizes)] =
            [0, 1, 2, 3].map(|at: usize| read[at].data.clone().unwrap())
        else {
            panic!("{read:?}")
        };
        assert!(sum.is_monotonic && sum.aggregation_temporality == CUMULATIVE);
        let value = |point: &NumberDataPoint| point.value;
        let [first, second] = &sum.data_points[..] else { panic!("{sum:?}") };
        assert_eq!(first.attributes, [attribute("method", "/a.B/C"), attribute("code", "say \"ok\\")]);
        assert_eq!((first.start_time_unix_nano, first.time_unix_nano), (1, 2));
        assert_eq!(value(second), Some(number_data_point::Value::AsDouble(3.0)));
        assert_eq!(value(&gauge.data_points[0]), Some(number_data_point::Value::AsDouble(-2.5)));
        let [x, y] = &times.data_points[..] else { panic!("{times:?}") };
        assert_eq!((&x.bucket_counts[..], &x.explicit_bounds[..]), (&[2, 0, 5][..], &[0.5, 1.0][..]));
        assert_eq!((x.count, x.sum, y.count), (7, Some(9.5), 0));
        let point = &sizes.data_points[0];
        assert_eq!((point.count, point.sum), (6, 5.0));
        assert_eq!(point.quantile_values, [ValueAtQuantile { quantile: 0.9, value: 4.0 }]);
    }
}
