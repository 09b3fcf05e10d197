//! Classes of features: text, JSON and a chart.

use serde_json::Value;

use crate::halts::Table;
use crate::support::{Home, SMALL_DISCOVERY, SMALL_SUITE};

fn with_charts() -> Vec<&'static str> {
    [SMALL_DISCOVERY, &["--charts", "figures"]].concat()
}

fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn classes_have_examples_that_can_be_looked_at() {
    let home = Home::new();
    let printed = home.run(&with_charts()).ok().stdout;
    let result = home.exported(1)["result"].clone();
    let classes = result["classes"].as_array().unwrap();
    assert!(classes.len() > 1, "{result}");
    for class in classes {
        let (id, position) = (class["example"].as_str().unwrap(), class["position"].as_str().unwrap());
        let line =
            SMALL_SUITE.lines().find(|line| line.contains(&format!("\"{id}\""))).expect("a problem of the suite");
        assert!(line.starts_with(position), "{line}: {position}");
        assert!(printed.contains(&format!("{id}: {position}\n")), "{printed}");
        for same in class["duplicates"].as_array().into_iter().flatten() {
            assert!(printed.contains(&names(same).join(" = ")), "{printed}");
            assert!(names(same).iter().all(|name| names(&class["features"]).contains(name)), "{class}");
        }
    }
    let similarity = &result["similarity"];
    let features = names(&similarity["features"]);
    let svg = home.read("figures/classes.svg");
    for (row, feature) in similarity["values"].as_array().unwrap().iter().zip(&features) {
        assert_eq!(row.as_array().unwrap().len(), features.len());
        assert!(svg.contains(&format!(">{feature}</text>")), "{svg}");
    }
    assert_eq!(svg.matches("fill-opacity").count(), features.len() * features.len());
}

#[test]
fn charts_are_not_overwritten_and_are_written_by_a_resumed_run() {
    let whole = Home::new();
    whole.run(&with_charts()).ok();
    whole.run(&with_charts()).fails(2, &["classes.svg", "--force"]);
    whole.run(&[&with_charts()[..], &["--force"]].concat()).ok();
    let home = Home::new();
    home.kill_at(&with_charts(), Table::Events, 20);
    home.run(&["resume", "1"]).ok();
    assert_eq!(home.read("figures/classes.svg"), whole.read("figures/classes.svg"));
}

#[test]
fn by_regret_classes_say_which_side_gains() {
    let home = Home::new();
    let made =
        "suite generate breakthrough --graded --count 30 --seed 3 --nodes 300 --judge-nodes 2000 --output g.graded";
    home.run(&made.split(' ').collect::<Vec<_>>()).ok();
    let work =
        "discover breakthrough --fitness regret --graded g.graded --nodes 300 --base Ud,PP,RdTt,Edg --charts figures";
    let printed = home.run(&work.split(' ').collect::<Vec<_>>()).ok().stdout;
    let classes = home.exported(1)["result"]["classes"].clone();
    let classes = classes.as_array().expect("classes by regret");
    assert!(!classes.is_empty() && classes.iter().all(|class| class["position"].is_string()), "{classes:?}");
    if classes.len() > 1 {
        assert!(printed.contains("features that change much the same positions"), "{printed}");
        assert!(home.read("figures/classes.svg").contains("change the regret alike"));
    }
}
