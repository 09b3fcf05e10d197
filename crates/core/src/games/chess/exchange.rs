//! What a series of captures on one square wins: the static exchange evaluation.
