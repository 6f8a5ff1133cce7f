//! Scenarios: what a file may say ([`spec`]), how it is read ([`document`]), how its parts are named ([`path`]), and how it
//! becomes a network ([`assembly`]).

pub mod assembly;
pub mod document;
pub mod expansion;
pub mod kinds;
pub mod levers;
pub mod networks;
pub mod partners;
pub mod path;
pub mod points;
pub mod schemes;
pub mod spec;
pub(crate) mod suggestion;
