//! The macros that define a role. From one list of variants they make the parameter enum with its scenario keywords and
//! JSON Schema, the state enum, and the methods for checks, construction and dispatch.
//!
//! A role file lists `keyword Variant = module::Params => module::State` once, in a macro of its own that passes the
//! list to these macros. `Params` has `check(&self) -> Result<(), Fault>`, and the state has `new(&Params, Env)`.

/// Defines the parameter enum and the state enum of a role.
macro_rules! define_role {
    ([$params:ident $state:ident $env:ty]
     $($(#[doc = $doc:literal])* $keyword:ident $variant:ident = $given:path => $built:path;)*) => {
        /// Parameters of one variant; its key in the scenario chooses it.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $params {
            $($(#[doc = $doc])* $variant($given),)*
        }

        /// The state of one variant.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a box would cost a cache miss per PDU")]
        pub enum $state {
            $($(#[doc = $doc])* $variant($built),)*
        }

        impl $params {
            /// The keywords of all variants, in the order of the list.
            pub const KEYWORDS: &[&str] = &[$(stringify!($keyword)),*];

            /// The keyword of this variant.
            #[must_use]
            pub fn keyword(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($keyword),)*
                }
            }

            /// The first fault of the parameters, with its path.
            pub fn check(&self) -> Result<(), crate::core::error::Fault> {
                match self {
                    $(Self::$variant(params) => {
                        params.check().map_err(|fault| fault.under(stringify!($keyword)))
                    })*
                }
            }

            /// Builds the variant in its `Env`. The parameters must have passed `check`.
            #[must_use]
            pub fn build(&self, env: $env) -> $state {
                match self {
                    $(Self::$variant(params) => {
                        $state::$variant(<$built>::new(params, env))
                    })*
                }
            }
        }
    };
}

/// Calls the same method of the current variant.
macro_rules! dispatch {
    ([$state:ident, $value:expr, $variant:ident => $call:expr]
     $($(#[doc = $doc:literal])* $keyword:ident $type:ident = $given:path => $built:path;)*) => {
        match $value {
            $($state::$type($variant) => $call,)*
        }
    };
}

pub(crate) use {define_role, dispatch};
