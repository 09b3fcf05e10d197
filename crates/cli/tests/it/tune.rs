//! Tuning weights: results do not depend on threads or kills, held-out problems are reported, files are written.

use serde_json::Value;

use crate::engines::is_installed;
use crate::resume::work_with_kills;
use crate::support::{Home, PLYSMITH, Ran, SMALL_TUNING as SMALL, names, skipped};

fn with<'a>(work: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [work, more].concat()
}

#[test]
fn a_limit_at_which_nothing_is_solved_is_told() {
    let home = Home::new();
    let told = home.run(&with(&SMALL[..6], &["--nodes", "2", "--iterations", "2"])).ok().stdout;
    assert!(told.contains("try more --nodes") && told.contains("There was no gain."), "{told}");
    let told = home.run(SMALL).ok().stdout;
    assert!(!told.contains("try more --nodes") && !told.contains("There was no gain."), "{told}");
}

#[test]
fn threads_and_a_second_home_change_nothing() {
    let (one, other) = (Home::new(), Home::new());
    for optimiser in ["gradient", "spsa", "matrix-adaptation"] {
        let work = with(SMALL, &["--optimiser", optimiser, "--json"]);
        let alone = one.run(&with(&work, &["--threads", "1"])).ok().json();
        let together = other.run(&with(&work, &["--threads", "2"])).ok().json();
        assert_eq!(alone, together, "{optimiser}");
        let rows = alone["iterations"].as_array().unwrap();
        assert_eq!(rows[0]["weights"], "1 1", "the first iteration is the start");
        assert_eq!(rows[0]["relative"], 1.0);
    }
    // Two that draw their chances differently go different ways.
    let last =
        |run: u32| one.exported(run)["result"]["iterations"].as_array().unwrap().last().unwrap()["weights"].clone();
    assert_ne!(last(2), last(3));
}

#[test]
fn a_tuning_gains_and_its_parts_add_up() {
    let home = Home::new();
    let tuned = home.run(&with(SMALL, &["--json"])).ok().json();
    let (start, end) = (&tuned["training"]["start"], &tuned["training"]["tuned"]);
    assert!(end["nodes"].as_u64() < start["nodes"].as_u64(), "{tuned}");
    assert!(end["solved"].as_u64() >= start["solved"].as_u64(), "{tuned}");
    let problems = |part: &str| tuned[part]["start"]["problems"].as_u64().unwrap();
    assert_eq!((problems("training"), problems("held_out")), (8, 8));

    // The weights that it returns are what `measure` would be given, and every row's best is no better.
    let scheme = tuned["setting"]["scheme"].as_str().unwrap();
    assert!(scheme.contains("RdTt@") && scheme.contains("Ud-PP@"), "{scheme}");
    let best = end["nodes"].as_u64().unwrap();
    let batches = tuned["iterations"].as_array().unwrap().iter().flat_map(|row| row["batch"].as_array().unwrap());
    assert_eq!(batches.map(|candidate| candidate["nodes"].as_u64().unwrap()).min(), Some(best));

    // The held-out problems are named in the run, and none of them was trained on.
    let export = home.exported(1);
    let held_out: Vec<_> = export["config"]["held_out"].as_array().unwrap().iter().map(Value::as_str).collect();
    assert_eq!(held_out.len(), 8);
    let shown = home.run(&["show", "1"]).ok().stdout;
    assert!(
        shown.contains("held out  ") && shown.contains("The gain in training generalised to the held-out problems"),
        "{shown}"
    );
    let csv = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(
        csv.starts_with("run,optimiser,iteration,weight_1,nodes,")
            || csv.starts_with("run,optimiser,iteration,weight_1,weight_2,nodes,"),
        "{csv}"
    );
    assert_eq!(csv.lines().count(), 1 + tuned["iterations"].as_array().unwrap().len());
}

#[test]
fn early_stopping_chooses_by_held_out_problems_and_says_so() {
    let home = Home::new();
    let work = with(SMALL, &["--optimiser", "spsa", "--choose", "held-out", "--json"]);
    let tuned = home.run(&work).ok().json();
    let rows = tuned["iterations"].as_array().unwrap();
    let best = rows.iter().min_by_key(|row| row["held_out_nodes"].as_u64()).unwrap();
    assert_eq!(tuned["held_out"]["tuned"]["nodes"], best["held_out_nodes"]);
    let values: Vec<_> =
        tuned["weights"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect();
    assert_eq!(values.join(" "), best["weights"].as_str().unwrap());
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("early stopping") && text.contains("is biased"), "{text}");
}

#[test]
fn a_weight_that_fires_nowhere_is_known_to_have_no_effect() {
    let home = Home::new();
    // No man can reach the last two ranks and the first two at once.
    let tuned = home.run(&with(
        &SMALL[..2],
        &["--weights", "Ud-PP,RdBb-RdTt", "--suite", "small.suite", "--nodes", "2000", "--iterations", "3", "--json"],
    ));
    let tuned = tuned.ok().json();
    let changed: Vec<_> =
        tuned["weights"].as_array().unwrap().iter().map(|weight| weight["changed"].as_u64()).collect();
    assert!(changed[0] > Some(0) && changed[1] == Some(0), "{tuned}");
    let text = home.run(&["show", "1"]).ok().stdout;
    assert!(text.contains("No effect seen: RdBb-RdTt."), "{text}");
}

#[test]
fn results_are_written_for_other_programs() {
    let home = Home::new();
    let written = home.run(&with(SMALL, &["--output", "w.toml", "--charts", "figures"])).ok();
    assert!(written.stderr.contains("wrote "), "{}", written.stderr);
    let toml = home.read("w.toml");
    assert!(
        toml.contains("[weights]\n\"RdTt\" = ") && toml.contains("\n\"Ud-PP\" = ") && toml.contains("scheme = \""),
        "{toml}"
    );
    for name in ["figures/nodes.svg", "figures/weights.svg"] {
        let svg = home.read(name);
        assert!(svg.starts_with("<svg ") && svg.contains("<polyline points=\""), "{svg}");
    }
    assert!(home.read("figures/weights.svg").contains(">Ud-PP</text>"));
    // What exists is not written over unasked, and nothing is measured before that is noticed.
    home.run(&with(SMALL, &["--out", "w.toml"])).fails(2, &["w.toml exists", "--force"]);
    home.run(&with(SMALL, &["--charts", "figures"])).fails(2, &["nodes.svg exists"]);
    home.run(&with(SMALL, &["-o", "w.json", "--force"])).ok();
    let json: Value = serde_json::from_str(&home.read("w.json")).unwrap();
    assert_eq!(names(&json["weights"], "name"), ["RdTt", "Ud-PP"]);
}

#[test]
fn optimisers_are_compared_with_equal_evaluations() {
    let home = Home::new();
    let work = with(&SMALL[..8], &["--compare", "20", "--json"]);
    let rivalry = home.run(&work).ok().json();
    let rows = rivalry["rows"].as_array().unwrap();
    assert_eq!(names(&rivalry["rows"], "optimiser"), ["gradient", "printed-gradient", "spsa", "matrix-adaptation"]);
    for row in rows {
        let evaluations = row["evaluations"].as_u64().unwrap();
        assert!((3..=20).contains(&evaluations), "{row}");
        assert_eq!(row["training"]["start"], rows[0]["training"]["start"], "all start alike");
        assert!(
            row["training"]["change"].as_f64().unwrap() <= 0.0,
            "the start was measured, so nothing is worse: {row}"
        );
    }
    assert!(home.run(&["show", "1"]).ok().stdout.contains("at most 20 evaluations each"));
}

#[test]
fn search_constants_are_tuned_by_pattern() {
    let home = Home::new();
    let work = ["tune", "chess", "--preset", "modern", "--problems", "6", "--nodes", "2000", "--iterations", "2"];
    let tuned = home.run(&with(&work, &["--parameters", "Delta*,LmrBase", "--json"])).ok().json();
    assert_eq!(names(&tuned["weights"], "name"), ["LmrBase", "DeltaMargin"]);
    assert_eq!(tuned["iterations"][0]["weights"], "300 149", "constants start where the preset has them");
    assert!(tuned["setting"]["preset"].as_str().unwrap().starts_with("modern"), "{}", tuned["setting"]);
    assert_eq!(tuned["setting"]["scheme"], Value::Null, "no features were tuned");
    // Together with features, and written for other programs.
    let both = with(&work, &["--weights", "AcK@0.8", "--parameters", "LmrBase", "-o", "w.toml"]);
    let text = home.run(&both).ok().stdout;
    assert!(text.contains("\npreset    modern") && text.contains("\nscheme    AcK@"), "{text}");
    let toml = home.read("w.toml");
    assert!(toml.contains("preset = \"modern") && toml.contains("\"LmrBase\" = "), "{toml}");
    home.run(&with(&work, &["--parameters", "LmrBse"])).fails(2, &["'LmrBse' is not a search constant", "LmrBase"]);
    home.run(&["tune", "chess", "--engine", "x", "--parameters", "*"]).fails(2, &["--parameters"]);
}

#[test]
fn figure_1_has_the_paper_s_shape() {
    let home = Home::new();
    // The printed gradient takes more and smaller steps.
    let work = "reproduce figure1 --optimiser gradient --problems 16 --nodes 30000 --iterations 5";
    let work: Vec<&str> = work.split(' ').collect();
    let text = home.run(&work).ok().stdout;
    assert!(text.contains("229 million") && text.contains("check (AcK)"), "{text}");
    let exported = home.exported(1);
    let tunings = &exported["result"]["tunings"];
    assert_eq!(names(tunings, "policy"), ["first", "iteration", "stable"], "side by side");
    for policy in ["first", "iteration", "stable"] {
        assert!(text.contains(&format!("nodes ({policy})")) && text.contains(&format!("here ({policy})")), "{text}");
    }
    // With one policy it is a tuning: the same one.
    let alone = home.run(&with(&work, &["--policy", "first", "--charts", "figures", "--json"])).ok().json();
    assert_eq!(alone, tunings[0]);
    home.run(&with(&work, &["--charts", "all"])).ok();
    for name in ["nodes.svg", "weights-first.svg", "weights-stable.svg"] {
        assert!(home.read(&format!("all/{name}")).starts_with("<svg "), "{name}");
    }
    let csv = home.run(&["export", "1", "--format", "csv"]).ok().stdout;
    assert!(csv.lines().next().unwrap().contains(",policy") && csv.contains(",iteration"), "{csv}");
    let result = &tunings[0];
    let training = &result["training"];
    assert!(training["change"].as_f64().unwrap() <= -0.2, "nodes fall by a fifth at least: {training}");
    assert!(training["tuned"]["solved"].as_u64() > training["start"]["solved"].as_u64(), "{training}");
    let value = |weight: &Value| weight["value"].as_str().unwrap().parse::<f64>().unwrap();
    let values: Vec<_> = result["weights"].as_array().unwrap().iter().map(value).collect();
    assert!(values[1..].iter().all(|other| values[0] < *other), "check ends lowest: {values:?}");
    home.run(&["reproduce", "table2", "--policy", "first"]).fails(2, &["--policy is for figure1 only"]);
    // What the paper prints: shares are cut off there, not rounded.
    for printed in ["73 %", "39 % (346)", "57 % (508)", "310 million", "229 million", "0.77"] {
        assert!(text.contains(printed), "no {printed} in {text}");
    }
}

/// The paper's Algorithm 1 as it is printed, whatever `tune` does by default.
#[test]
fn figure_1_is_the_papers_gradient() {
    let home = Home::new();
    home.file("one.epd", "4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; id \"check\";\n");
    let figure = ["reproduce", "figure1", "--suite", "one.epd", "--iterations", "1", "--policy", "first"];
    home.run(&figure).ok();
    let config = home.exported(1)["config"].clone();
    let method = &config["method"];
    assert_eq!(method["optimiser"], "printed-gradient");
    assert_eq!((&method["mu"], &method["delta"]), (&1.0.into(), &"0.15".into()));
    assert_eq!((&method["decreasing"], &method["patience"]), (&false.into(), &Value::Null));
    assert_eq!(config["held_out"], Value::Array(Vec::new()));
    assert_eq!(config["experiment"]["nodes"], 500_000, "on a suite that is named, the paper's limit");
    for parameter in config["parameters"].as_array().unwrap() {
        assert_eq!((&parameter["least"], &parameter["most"]), (&"0.1".into(), &"2".into()), "{parameter}");
        assert_eq!(parameter["start"], "1");
    }
}

/// Our own engine behind the plug protocol: its weights and its features are those of the built-in one.
#[test]
fn figure_1_and_the_chess_tables_take_an_engine() {
    let home = Home::new();
    let suite = "4k3/8/8/8/8/8/8/R3K3 w - - bm Ra8; id \"a\";\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \"b\";\n";
    home.file("two.epd", suite);
    let engine = format!("'{PLYSMITH}' engine chess --plug --template AcK,Fr,Pp,Rc");
    let limits = ["--suite", "two.epd", "--nodes", "300", "--engine", &engine];
    let figure = home.run(&[&["reproduce", "figure1", "--iterations", "1"], &limits[..]].concat()).ok().stdout;
    assert!(figure.contains("forced reply (Fr)") && figure.contains("57 % (508)"), "{figure}");
    let mapped = "[[weight]]\nname = \"check\"\n[[weight]]\nname = \"single-reply\"\n[[weight]]\nname = \"passed-pawn\"\n\
                  [[weight]]\nname = \"own\"\n";
    home.file("names.toml", mapped);
    let figure = [&["reproduce", "figure1", "--iterations", "1", "--mapping", "names.toml"], &limits[..]].concat();
    let figure = home.run(&figure).ok().stdout;
    assert!(figure.contains("forced reply (single-reply)") && figure.contains("\nown "), "{figure}");
    for (table, feature) in [("table4.7", "Rc-Rdb"), ("table4.8", "(CcB-LcB)|(CcR-LcR)")] {
        let text = home.run(&[&["reproduce", table], &limits[..]].concat()).ok().stdout;
        assert!(text.contains(feature) && text.contains("The thesis does not say"), "{text}");
    }
    let twice = ["reproduce", "figure1", "--engine", "x", "--engine", "y"];
    home.run(&twice).fails(2, &["--engine was given more than once"]);
    home.run(&["reproduce", "table2", "--engine", "x"]).fails(2, &["figure1, table4.7, table4.8 and mate-table2"]);
}

#[test]
fn a_tuning_survives_kills() {
    let work =
        with(&SMALL[..4], &["--suite", "small.suite", "--nodes", "10000", "--optimiser", "spsa", "--patience", "0"]);
    let peace = Home::new();
    peace.run(&work).ok();
    let expected = peace.exported(1);
    let home = Home::new();
    work_with_kills(&home, &work, &expected, 6, 11);
    assert_eq!(home.exported(1), expected);
}

#[test]
fn the_games_of_a_tuning_survive_kills() {
    let work = with(&SMALL[..8], &["--iterations", "3", "--verify-games", "8", "--verify-nodes", "200"]);
    let peace = Home::new();
    let text = peace.run(&work).ok().stdout;
    let expected = peace.exported(1);
    let (games, settings) = (&expected["result"]["games"], &expected["result"]["settings"]);
    assert_eq!((&games["games"], &games["b"]), (&8.into(), &"classic".into()), "{games}");
    assert!(settings[0]["name"].as_str().unwrap().starts_with("as shipped"), "{settings}");
    // The match that is printed is the match that was played.
    let line = expected["result"]["match_command"].as_str().unwrap();
    assert!(text.contains(&format!("\n{line}\n")), "{text}");
    let words: Vec<_> = line.split(' ').skip(1).map(|word| word.trim_matches('\'')).collect();
    let played = peace.run(&with(&words, &["--json"])).ok().json();
    for part in ["a", "b", "games", "wins", "draws", "losses", "pairs", "nodes"] {
        assert_eq!(played[part], games[part], "{part}");
    }
    let home = Home::new();
    work_with_kills(&home, &work, &expected, 5, 12);
    assert_eq!(home.exported(1), expected);
}

#[test]
fn mistakes_are_named_before_anything_is_measured() {
    let home = Home::new();
    let fails =
        |more: &[&str], parts: &[&str]| -> Ran { home.run(&with(&["tune", "breakthrough"], more)).fails(2, parts) };
    fails(&[], &["there is nothing to tune", "--weights"]);
    fails(&["--weights", "Foo"], &["'Foo' is not a feature"]);
    fails(&["--weights", "Ud,Ud"], &["Ud twice"]);
    fails(&["--weights", "Ud@3"], &["weight 'Ud' starts at 3", "from 0.1 to 2"]);
    fails(&["--weights", "Ud", "--start", "0.01"], &["0.01", "from 0.1 to 2"]);
    fails(&["--weights", "Ud", "--start", "1 1"], &["2 weights were given for 1 parameters (Ud)"]);
    fails(&["--weights", "Ud", "--start", "much"], &["'much' is not a weight"]);
    fails(&["--weights", "Ud", "--optimiser", "newton"], &["'newton' is not an optimiser", "spsa"]);
    fails(&["--weights", "Ud", "--policy", "last"], &["'last' is not a policy", "'stable'"]);
    fails(&["--weights", "Ud", "--delta", "x"], &["'x' is not a number with at most three decimals"]);
    fails(&["--weights", "Ud", "--delta", "-0.15"], &["--delta -0.15 changes nothing", "0.15"]);
    fails(&["--weights", "Ud", "--mu", "-1"], &["--mu"]);
    fails(&["--weights", "Ud", "--holdout", "0", "--choose", "held-out"], &["--holdout PERCENT"]);
    fails(&["--weights", "Ud", "--out", "no/such/w.toml"], &["there is no folder"]);
    fails(&["--weights", "Ud", "--compare", "50", "--optimiser", "spsa"], &["--compare", "--optimiser"]);
    assert_eq!(home.run(&["runs", "--json"]).ok().json(), serde_json::json!([]));
}

#[test]
fn a_real_engine_learns_from_nothing() {
    if !is_installed("glaurung") {
        return skipped(
            "a_real_engine_learns_from_nothing",
            "glaurung is not installed (Debian: apt install glaurung)",
        );
    }
    let home = Home::new();
    let map = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/glaurung.toml");
    let work = ["tune", "chess", "--engine", "uci:glaurung", "--mapping", map, "--problems", "24", "--nodes", "20000"];
    let ran = home.run(&with(&work, &["--iterations", "4", "--json"])).ok();
    let tuned = ran.json();
    assert!(!ran.stderr.contains("warning"), "glaurung repeats itself if it is prepared well: {}", ran.stderr);
    assert_eq!(names(&tuned["weights"], "name")[0], "check");
    for part in ["training", "held_out"] {
        assert!(tuned[part]["change"].as_f64().unwrap() < 0.0, "nodes fall on {part} problems: {}", tuned[part]);
    }
    let check = tuned["weights"][0]["value"].as_str().unwrap();
    let extension = if check == "0" { 2 } else { 1 };
    assert!(["0", "0.5"].contains(&check), "extending checks helps: {check}");
    let commands = tuned["setting"]["commands"].as_array().unwrap();
    let line = format!("setoption name Check Extension (non-PV nodes) value {extension}");
    assert!(extension == 1 || commands.contains(&line.into()), "1 is as shipped: {commands:?}");
    let shipped = "setoption name Single Reply Extension (PV nodes) value 2";
    assert!(commands[0] == "setoption name Hash value 16" && !commands.contains(&shipped.into()), "{commands:?}");
    assert!(tuned["settings"][0]["name"] == "as shipped" && tuned["match_command"].is_string(), "{tuned}");

    // The same weights by another command need as many nodes: nothing depends on what was searched before.
    let again = home.run(&with(&work, &["--iterations", "4", "--threads", "1", "--json"])).ok().json();
    assert_eq!(again, tuned);
}

#[test]
fn engines_that_cannot_be_tuned_are_named() {
    let home = Home::new();
    home.file("empty.toml", "[options]\nHash = 16\n");
    home.run(&["tune", "chess", "--engine", "uci:/no/such/engine"]).fails(2, &["/no/such/engine"]);
    home.run(&["tune", "chess", "--engine", "x", "--mapping", "none.toml"]).fails(2, &["cannot read none.toml"]);
    home.run(&["tune", "chess", "--engine", "x", "--weights", "AcK"]).fails(2, &["'AcK' is not a number of weights"]);
    if is_installed("glaurung") {
        let ran = home.run(&["tune", "chess", "--engine", "uci:glaurung", "--mapping", "empty.toml"]);
        ran.fails(2, &["does not report what can be tuned", "--mapping"]);
    }
}

#[test]
fn a_plug_engine_is_tuned_like_the_same_engine_built_in() {
    let home = Home::new();
    let engine = format!("'{PLYSMITH}' engine breakthrough --preset classic --plug --template RdTt,Ud-PP");
    let limits = ["--suite", "small.suite", "--nodes", "2000", "--iterations", "3", "--json"];
    let plugged = home.run(&with(&["tune", "breakthrough", "--engine", &engine], &limits)).ok().json();
    // The plug engine looks for the first agreement, as the paper words it.
    let own = ["tune", "breakthrough", "--weights", "RdTt,Ud-PP", "--policy", "first"];
    let built_in = home.run(&with(&own, &limits)).ok().json();
    for part in ["weights", "training", "held_out"] {
        assert_eq!(plugged[part], built_in[part], "{part}");
    }
    let command = plugged["setting"]["commands"][0].as_str().unwrap();
    assert!(command.starts_with("setparam "), "{command}");
}
