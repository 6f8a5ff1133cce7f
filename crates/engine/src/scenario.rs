//! Scenarios: what a file may say ([`spec`]), how it is read ([`document`]), how its parts are named ([`path`]), and how it
//! becomes a network: [`expansion`] puts the parts of named networks and schemes in their places, and [`assembly`] checks
//! what comes of it, makes the plan, and builds the nodes. The schema of a document follows from [`spec`].

pub mod advice;
pub mod assembly;
mod classes;
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
