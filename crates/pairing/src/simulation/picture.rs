//! Waits against gaps as a picture in SVG.

use std::fmt::Write;

/// One way of pairing: its name, and for each setting of its knob the mean wait in seconds and the median gap in points.
pub type Curve<'a> = (&'a str, Vec<(f64, f64)>);

/// The size of a panel, and the room around its plot, in pixels.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;
const MARGIN: f64 = 46.0;

/// What is shown: waits of 0.5 to 150 s, gaps of 1 to 500 points; both axes logarithmic.
const WAITS: (f64, f64) = (0.5, 150.0);
const GAPS: (f64, f64) = (1.0, 500.0);

const COLORS: [&str; 4] = ["#c0392b", "#7f8c8d", "#2471a3", "#b9770e"];

/// A picture with a panel for each population, two in a row.
pub fn picture(panels: &[(u32, Vec<Curve>)]) -> String {
    let rows = u32::try_from(panels.len().div_ceil(2)).unwrap_or(1);
    let (width, height) = (2.0 * WIDTH, f64::from(rows) * HEIGHT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (place, (players, curves)) in (0_u32..).zip(panels) {
        let (x, y) = (f64::from(place % 2) * WIDTH, f64::from(place / 2) * HEIGHT);
        panel(&mut svg, *players, curves, (x, y));
    }
    svg += "</svg>\n";
    svg
}

fn across(wait: f64) -> f64 {
    let part = (wait.clamp(WAITS.0, WAITS.1) / WAITS.0).ln() / (WAITS.1 / WAITS.0).ln();
    part.mul_add(WIDTH - 2.0 * MARGIN, MARGIN)
}

fn down(gap: f64) -> f64 {
    let part = (gap.clamp(GAPS.0, GAPS.1) / GAPS.0).ln() / (GAPS.1 / GAPS.0).ln();
    (1.0 - part).mul_add(HEIGHT - 2.0 * MARGIN, MARGIN)
}

fn panel(svg: &mut String, players: u32, curves: &[Curve], (x, y): (f64, f64)) {
    let mut text = format!("<g transform=\"translate({x} {y})\">\n");
    let mut say = |x: f64, y: f64, anchor: &str, color: &str, words: &str| {
        // Writing into a string cannot fail.
        let _written = writeln!(
            text,
            "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\" fill=\"{color}\">{words}</text>"
        );
    };
    say(WIDTH / 2.0, 18.0, "middle", "black", &format!("{players} players"));
    say(WIDTH / 2.0, HEIGHT - 8.0, "middle", "black", "mean wait, seconds");
    say(MARGIN, 34.0, "start", "black", "median gap, points");
    for wait in [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 120.0] {
        say(across(wait), HEIGHT - MARGIN + 14.0, "middle", "#555", &wait.to_string());
    }
    for gap in [1.0, 5.0, 20.0, 100.0, 400.0] {
        say(MARGIN - 6.0, down(gap) + 4.0, "end", "#555", &gap.to_string());
    }
    for (place, (name, _)) in (0_u32..).zip(curves) {
        let color = COLORS[place as usize % COLORS.len()];
        say(WIDTH - MARGIN, f64::from(place).mul_add(14.0, MARGIN + 8.0), "end", color, name);
    }
    let _written = writeln!(
        text,
        "<rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>",
        WIDTH - 2.0 * MARGIN,
        HEIGHT - 2.0 * MARGIN
    );
    for (place, (_, points)) in curves.iter().enumerate() {
        curve(&mut text, points, COLORS[place % COLORS.len()]);
    }
    svg.push_str(&text);
    svg.push_str("</g>\n");
}

/// The points of a curve, joined in the order of their waits where no other point is better in both.
fn curve(text: &mut String, points: &[(f64, f64)], color: &str) {
    let mut order = points.to_vec();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut least = f64::MAX;
    let mut line = String::new();
    for (wait, gap) in order {
        let (x, y) = (across(wait), down(gap));
        let _written = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{color}\"/>");
        if gap < least {
            least = gap;
            let _written = write!(line, "{x:.1},{y:.1} ");
        }
    }
    let _written =
        writeln!(text, "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\"/>", line.trim_end());
}
