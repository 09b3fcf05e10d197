//! The example program runs to its end.

#[path = "../examples/discover.rs"]
mod discover;

#[test]
fn the_example_discovers_cancels_and_resumes() {
    discover::main().unwrap();
}
