//! The macros that define a role. A role file has three definitions:
//!
//! - its traits, with [`role_trait`]: a trait that each variant implements, and its implementation for the enum;
//! - its list of variants, `keyword Variant = module::Params => module::State`, in a macro that passes the list on;
//! - its enums, with [`define_role`]: the parameters, with keywords and JSON Schema, and the state.
//!
//! So a new variant is one file, with its `mod` line, and one line in the list. The file has `Params` with
//! `check(&self) -> Result<(), Fault>`, the state with `new(&Params, Env)`, the role's traits for both, and [`Cases`].

/// Parameters for the tests of a role. Each variant has them in its own file.
#[cfg(test)]
pub(crate) trait Cases {
    /// One TOML table each, as a scenario has it after the keyword: `"{ share = 0.8 }"`.
    const CASES: &'static [&'static str];
    /// Cases in which the variant acts at a port with little load, or without feedback.
    const EAGER: &'static [&'static str] = &[];
}

/// One case of one variant.
#[cfg(test)]
#[derive(Clone, Debug)]
pub(crate) struct Case<P> {
    /// Keyword and table, as a scenario has them.
    pub text: String,
    pub params: P,
    /// Whether it is one of `EAGER`.
    pub is_eager: bool,
}

/// The type of a variant's state in its enum.
macro_rules! place {
    (inline $built:path) => { $built };
    (boxed $built:path) => { Box<$built> };
}

/// Defines the parameter enum and the state enum of a role. The state enum holds its variants itself, or boxes them
/// (`boxed`), if there is one per flow: then a flow takes the memory of its own variant, and not of the largest.
macro_rules! define_role {
    ([$params:ident $state:ident $env:ty] $($list:tt)*) => {
        crate::core::roles::define_role! { [$params $state $env, inline] $($list)* }
    };
    ([$params:ident $state:ident $env:ty, $place:ident]
     $($(#[doc = $doc:literal])* $keyword:ident $variant:ident = $given:path => $built:path;)*) => {
        /// Parameters of one variant; its key in the scenario chooses it.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[allow(clippy::large_enum_variant, reason = "a scenario has one for each of its tables, and none for each PDU")]
        pub enum $params {
            $($(#[doc = $doc])* $variant($given),)*
        }

        /// The state of one variant.
        #[derive(Clone, Debug)]
        #[allow(clippy::large_enum_variant, reason = "a box would cost a cache miss per PDU")]
        pub enum $state {
            $($(#[doc = $doc])* $variant(crate::core::roles::place!($place $built)),)*
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

            /// Builds the variant in this environment. The parameters have been checked.
            #[must_use]
            pub fn build(&self, env: $env) -> $state {
                match self {
                    $(Self::$variant(params) => {
                        $state::$variant(<$built>::new(params, env).into())
                    })*
                }
            }

            /// Every variant with each of its cases, as [`Cases`](crate::core::roles::Cases) has them.
            #[cfg(test)]
            pub(crate) fn cases() -> Vec<crate::core::roles::Case<$params>> {
                let mut cases = Vec::new();
                $(
                    let own = <$given as crate::core::roles::Cases>::CASES.iter().map(|text| (text, false));
                    let eager = <$given as crate::core::roles::Cases>::EAGER.iter().map(|text| (text, true));
                    cases.extend(own.chain(eager).map(|(text, is_eager)| {
                        let text = format!("{} = {text}", stringify!($keyword));
                        let params = toml::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                        crate::core::roles::Case { text, params, is_eager }
                    }));
                )*
                cases
            }
        }
    };
}

/// Calls the same method of the current variant.
macro_rules! dispatch {
    ([$enum:ident, $value:expr, $variant:ident => $call:expr]
     $($(#[doc = $doc:literal])* $keyword:ident $type:ident = $given:path => $built:path;)*) => {
        match $value {
            $($enum::$type($variant) => $call,)*
        }
    };
}

/// Defines a trait that every variant of a role implements, and implements it for the enum of the variants:
///
/// ```text
/// role_trait! {
///     pub trait Discard for Policy by policies {
///         required
///         fn verdict(&self, pdu: &Pdu, length: u64) -> Verdict;
///         provided
///         fn counts_bits(&self) -> bool { false }
///     }
/// }
/// ```
///
/// A variant must define the `required` methods, and may override the `provided` ones. The enum forwards each call to its
/// variant; `@always` forces inlining of that call.
macro_rules! role_trait {
    (
        $(#[$meta:meta])*
        pub trait $name:ident $(: $above:ident)? for $enum:ident by $list:ident {
            required
            $($(#[doc = $doc:literal])* $(@$inline:ident)? fn $required:ident $arguments:tt $(-> $type:ty)?;)*
            provided
            $($(#[$attribute:meta])* fn $provided:ident $provided_arguments:tt $(-> $provided_type:ty)? $default:block)*
        }
    ) => {
        $(#[$meta])*
        #[allow(unused_variables, reason = "defaults ignore their arguments")]
        pub trait $name $(: $above)? {
            $($(#[doc = $doc])* fn $required $arguments $(-> $type)?;)*
            $($(#[$attribute])* fn $provided $provided_arguments $(-> $provided_type)? $default)*
        }

        impl $name for $enum {
            $(crate::core::roles::forward! {
                $enum $list [#[inline $(($inline))?]] $required $arguments [$(-> $type)?]
            })*
            $(crate::core::roles::forward! {
                $enum $list [$(#[$attribute])*] $provided $provided_arguments [$(-> $provided_type)?]
            })*
        }
    };
}

/// One method of a role's trait, forwarded to the variant.
macro_rules! forward {
    ($enum:ident $list:ident [$($meta:tt)*] $method:ident
     (&mut $self:ident $(, $argument:ident: $type:ty)* $(,)?) [$($answer:tt)*]) => {
        $($meta)*
        fn $method(&mut $self $(, $argument: $type)*) $($answer)* {
            $list!(dispatch! [$enum, $self, variant => variant.$method($($argument),*)])
        }
    };
    ($enum:ident $list:ident [$($meta:tt)*] $method:ident
     (&$self:ident $(, $argument:ident: $type:ty)* $(,)?) [$($answer:tt)*]) => {
        $($meta)*
        fn $method(&$self $(, $argument: $type)*) $($answer)* {
            $list!(dispatch! [$enum, $self, variant => variant.$method($($argument),*)])
        }
    };
}

pub(crate) use {define_role, dispatch, forward, place, role_trait};
