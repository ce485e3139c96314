use ::redis::Script;

/// A script and the hash by which a server knows it.
#[derive(Debug)]
pub(super) struct Lua {
    pub code: &'static str,
    pub hash: String,
}

impl Lua {
    fn new(code: &'static str) -> Self {
        Self { code, hash: Script::new(code).get_hash().to_owned() }
    }
}

/// All scripts of the ledger. What each takes and answers stands at its top.
#[derive(Debug)]
pub(super) struct Scripts {
    pub append: Lua,
    pub bury: Lua,
    pub claim: Lua,
    pub lag: Lua,
    pub publish: Lua,
    pub retire: Lua,
    pub revive: Lua,
    pub sweep: Lua,
    pub touch: Lua,
    pub trim: Lua,
    pub trim_topic: Lua,
}

impl Scripts {
    pub fn new() -> Self {
        Self {
            append: Lua::new(include_str!("scripts/append.lua")),
            bury: Lua::new(include_str!("scripts/bury.lua")),
            claim: Lua::new(include_str!("scripts/claim.lua")),
            lag: Lua::new(include_str!("scripts/lag.lua")),
            publish: Lua::new(include_str!("scripts/publish.lua")),
            retire: Lua::new(include_str!("scripts/retire.lua")),
            revive: Lua::new(include_str!("scripts/revive.lua")),
            sweep: Lua::new(include_str!("scripts/sweep.lua")),
            touch: Lua::new(include_str!("scripts/touch.lua")),
            trim: Lua::new(include_str!("scripts/trim.lua")),
            trim_topic: Lua::new(include_str!("scripts/trim_topic.lua")),
        }
    }
}
