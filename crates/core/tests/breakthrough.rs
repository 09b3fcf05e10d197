use plysmith_core::conform::conform;
use plysmith_core::games::breakthrough::{AnySize, Position, Standard};
#[test]
fn a() {
    conform::<Position<Standard>>(&[(
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP w",
        &[22, 484, 11_132, 256_036, 6_182_818],
    )]);
}
#[test]
fn b() {
    conform::<Position<AnySize>>(&[("ppppp/ppppp/5/PPPPP/PPPPP w", &[13, 156, 1924, 23084, 289828])]);
}
