//! What is wrong with a plan.

use serde_json::Value;

/// Nodes that pass a row on before they have seen the next.
const PASSING: [&str; 9] = [
    "Append",
    "LockRows",
    "Limit",
    "Merge Append",
    "Nested Loop",
    "ProjectSet",
    "Result",
    "Subquery Scan",
    "Unique",
];

/// Every node of a plan (as `EXPLAIN (FORMAT JSON)` prints it) that reads a whole table, other than one of these small ones: a scan, or a walk along an index
/// from end to end that no limit ends.
pub fn faults(plan: &Value, small: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    look(&plan[0]["Plan"], small, false, &mut found);
    found
}

fn look(node: &Value, small: &[&str], limited: bool, found: &mut Vec<String>) {
    let text = |key: &str| node[key].as_str().unwrap_or_default();
    let kind = text("Node Type");
    let is_small = small.contains(&text("Relation Name"));
    let filter = text("Filter");
    // With a limit every row that is read counts, but for those that a look-up elsewhere rules out.
    let counts = limited && (filter.is_empty() || (filter.contains("SubPlan") && !filter.contains("AND")));
    // Whether there is a row at all: a value of its own that is read from a table without a condition can ask for nothing else.
    let exists = text("Parent Relationship") == "InitPlan" && filter.is_empty();
    let whole = (kind == "Seq Scan" && !counts && !exists)
        || (["Index Scan", "Index Only Scan"].contains(&kind) && node["Index Cond"].is_null() && !limited)
        || (kind == "Bitmap Index Scan" && node["Index Cond"].is_null());
    if whole && !is_small {
        let rows = &node["Plan Rows"];
        found.push(format!("{kind} on {} {}, {rows} rows", text("Relation Name"), text("Index Name")));
    }
    let limited = kind == "Limit" || (limited && PASSING.contains(&kind));
    for inner in node["Plans"].as_array().into_iter().flatten() {
        look(inner, small, limited, found);
    }
}
