use tonic::Code;

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $code:ident, $help:literal;)*) => {
        /// Why a call was refused. Names are part of the API: they are added, never changed or removed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $(#[doc = $help] $name,)*
        }

        impl Reason {
            /// Every reason, in the order in which they were added within their code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The name on the wire: `ErrorInfo.reason`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The gRPC code that goes with it.
            pub const fn code(self) -> Code {
                match self { $(Self::$name => Code::$code,)* }
            }

            /// What it means and what to do.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => $help,)* }
            }
        }
    };
}

reasons! {
    InvalidRequest = "INVALID_REQUEST", InvalidArgument, "A field is malformed; BadRequest lists every violation.";
    MalformedPoint = "MALFORMED_POINT", InvalidArgument, "Not a point: a column letter (A to Z without I) and a row number, for example D5.";
    OffBoard = "OFF_BOARD", InvalidArgument, "The point is not on this board.";
    InvalidSettings = "INVALID_SETTINGS", InvalidArgument, "The game's settings do not fit together; BadRequest lists every violation.";
    NicknameEmpty = "NICKNAME_EMPTY", InvalidArgument, "The nickname is empty.";
    NicknameTooLong = "NICKNAME_TOO_LONG", InvalidArgument, "The nickname has more than 24 characters.";
    NicknameCharacters = "NICKNAME_CHARACTERS", InvalidArgument, "The nickname has characters that a name cannot have: control, invisible, or not of a script's letters.";
    NicknameConfusable = "NICKNAME_CONFUSABLE", InvalidArgument, "The nickname mixes scripts so that it could be taken for another name.";
    NicknameReserved = "NICKNAME_RESERVED", InvalidArgument, "The nickname, or one that looks like it, is reserved.";
    IdTokenNonce = "ID_TOKEN_NONCE", InvalidArgument, "The nonce is too short or too long: 16 to 200 characters, random, used once.";
    RedirectNotAllowed = "REDIRECT_NOT_ALLOWED", InvalidArgument, "The redirect address is not one of the configured ones.";
    BotDeclines = "BOT_DECLINES", InvalidArgument, "The bot does not play these settings; BadRequest says for each what it would play.";
    TokenMissing = "TOKEN_MISSING", Unauthenticated, "The call needs an access token: metadata `authorization: Bearer <token>`.";
    TokenMalformed = "TOKEN_MALFORMED", Unauthenticated, "What was sent is not a token of ours: truncated, or of another kind.";
    TokenExpired = "TOKEN_EXPIRED", Unauthenticated, "The access token has expired; trade the refresh token for a new one.";
    TokenUnknownKey = "TOKEN_UNKNOWN_KEY", Unauthenticated, "The access token was signed with a key that is not ours.";
    TokenInvalid = "TOKEN_INVALID", Unauthenticated, "The access token's signature, issuer or audience is wrong.";
    RefreshTokenInvalid = "REFRESH_TOKEN_INVALID", Unauthenticated, "The refresh token is unknown, expired or ended; sign in again.";
    RefreshTokenReused = "REFRESH_TOKEN_REUSED", Unauthenticated, "The refresh token was used before; every session that descends from it has been ended.";
    SecretWrong = "SECRET_WRONG", Unauthenticated, "The secret is wrong.";
    SessionEnded = "SESSION_ENDED", Unauthenticated, "The session was ended; the metadata's `cause` says why: signed_out, kicked, reused, owner, merged or deleted. Sign in again.";
    IdTokenInvalid = "ID_TOKEN_INVALID", Unauthenticated, "The ID token is malformed, not signed by the provider, or for another audience, issuer or nonce.";
    IdTokenExpired = "ID_TOKEN_EXPIRED", Unauthenticated, "The ID token has expired, or is not valid yet.";
    IdTokenUsed = "ID_TOKEN_USED", Unauthenticated, "The ID token was used before; get a new one.";
    SignInUnknown = "SIGN_IN_UNKNOWN", Unauthenticated, "The sign-in was not begun here, is finished, or took too long; begin anew.";
    SignInDenied = "SIGN_IN_DENIED", Unauthenticated, "The provider or the person refused; begin anew.";
    NotYourSeat = "NOT_YOUR_SEAT", PermissionDenied, "The caller does not sit in this game.";
    RoleRequired = "ROLE_REQUIRED", PermissionDenied, "The call is for another role, for example for bots or services.";
    RatedNeedsAccount = "RATED_NEEDS_ACCOUNT", PermissionDenied, "Rated games need an account; guests may play unrated games.";
    Banned = "BANNED", PermissionDenied, "The player is banned; the metadata have the reason and the end, `until_millis` (absent: for good).";
    AccountRequired = "ACCOUNT_REQUIRED", PermissionDenied, "The call needs an account; sign in first.";
    OriginNotAllowed = "ORIGIN_NOT_ALLOWED", PermissionDenied, "Pages of this origin may not call; see --web-origins.";
    RatedBan = "RATED_BAN", PermissionDenied, "The player has left rated games again and again; the metadata say until when there are no rated games. Unrated ones may be played.";
    PrivateGame = "PRIVATE_GAME", PermissionDenied, "The game is private: only its players, and those who have its key, may see it.";
    CertificateRequired = "CERTIFICATE_REQUIRED", PermissionDenied, "Services call over connections that show a certificate of ours.";
    Blocked = "BLOCKED", PermissionDenied, "One of the two has blocked the other.";
    GameNotFound = "GAME_NOT_FOUND", NotFound, "There is no game with this id.";
    PlayerNotFound = "PLAYER_NOT_FOUND", NotFound, "There is no player with this id.";
    NoTicket = "NO_TICKET", NotFound, "The caller has no open ticket.";
    NotRated = "NOT_RATED", NotFound, "The game is not rated, or has not counted yet.";
    SessionNotFound = "SESSION_NOT_FOUND", NotFound, "The caller has no session with this id.";
    BotNotFound = "BOT_NOT_FOUND", NotFound, "The caller has no bot with this id.";
    NotRanked = "NOT_RANKED", NotFound, "The player is not on that leaderboard: too few rated games, or none for 90 days.";
    FlagNotFound = "FLAG_NOT_FOUND", NotFound, "There is no flag with this id.";
    ReplicaNotFound = "REPLICA_NOT_FOUND", NotFound, "There is no process with this id, or it has not been heard of for a minute.";
    DeadLetterNotFound = "DEAD_LETTER_NOT_FOUND", NotFound, "The group has no dead letter with this name: somebody may have dealt with it.";
    ChallengeNotFound = "CHALLENGE_NOT_FOUND", NotFound, "There is no challenge with this code, or it is addressed to somebody else.";
    TicketExists = "TICKET_EXISTS", AlreadyExists, "The caller has an open ticket that another stream follows.";
    GameExists = "GAME_EXISTS", AlreadyExists, "There is another game with this id.";
    NameTaken = "NAME_TAKEN", AlreadyExists, "The name, or one that looks like it, belongs to somebody else.";
    NotYourTurn = "NOT_YOUR_TURN", FailedPrecondition, "It is the opponent's turn; the metadata name whose.";
    Occupied = "OCCUPIED", FailedPrecondition, "There is a stone on the point.";
    Suicide = "SUICIDE", FailedPrecondition, "The stone would have no liberty.";
    Ko = "KO", FailedPrecondition, "Ko: the stone would restore the position before the opponent's last move.";
    Superko = "SUPERKO", FailedPrecondition, "Superko: the stone would restore an earlier position of the game.";
    GameOver = "GAME_OVER", FailedPrecondition, "The game has ended.";
    OutOfTime = "OUT_OF_TIME", FailedPrecondition, "The move came after the deadline.";
    TicketMatched = "TICKET_MATCHED", FailedPrecondition, "The ticket has been matched; the metadata name the game.";
    AlreadyPlaying = "ALREADY_PLAYING", FailedPrecondition, "The caller is in a game already; the metadata name it.";
    ScoreProposed = "SCORE_PROPOSED", FailedPrecondition, "The players are asked to agree on a score: no moves and no proposals until they have answered.";
    NoScore = "NO_SCORE", FailedPrecondition, "No score is proposed now.";
    NoStone = "NO_STONE", FailedPrecondition, "There is no stone on the point.";
    NotInThisGame = "NOT_IN_THIS_GAME", FailedPrecondition, "This game does not have that: its settings, its opponent or its rules leave it out.";
    ProposalTooSoon = "PROPOSAL_TOO_SOON", FailedPrecondition, "It is too early for that proposal, or too early for it again; the metadata have the ply from which it is possible.";
    ProposalPending = "PROPOSAL_PENDING", FailedPrecondition, "The caller has made a proposal that the opponent has not answered.";
    NothingToTakeBack = "NOTHING_TO_TAKE_BACK", FailedPrecondition, "The caller has no move to take back.";
    AlreadySo = "ALREADY_SO", FailedPrecondition, "What is wanted is so already.";
    GameNotOver = "GAME_NOT_OVER", FailedPrecondition, "The game is not over yet.";
    SignInOff = "SIGN_IN_OFF", FailedPrecondition, "Signing in is not configured here: no client id. Guests can play.";
    SignInPending = "SIGN_IN_PENDING", FailedPrecondition, "The person has not agreed yet; try again after RetryInfo.";
    PlayedEachOther = "PLAYED_EACH_OTHER", FailedPrecondition, "The guest and the member have played each other, so they cannot become one; sign in without the guest's token.";
    ChallengeClosed = "CHALLENGE_CLOSED", FailedPrecondition, "The challenge is not open any more; the metadata have its state.";
    OwnChallenge = "OWN_CHALLENGE", FailedPrecondition, "The challenge is the caller's own, or would be to the caller.";
    BotNotReady = "BOT_NOT_READY", FailedPrecondition, "The bot of that name has not said lately that it is ready; ListReadyBots has those that are.";
    OpponentPlaying = "OPPONENT_PLAYING", FailedPrecondition, "The other player is in a game whose clock runs; try again when it is over.";
    StalePly = "STALE_PLY", Aborted, "The game is at another ply: read it again, then decide; the metadata have the current ply and sequence.";
    CommandIdReused = "COMMAND_ID_REUSED", Aborted, "The command id was used in this game for another command.";
    StaleScore = "STALE_SCORE", Aborted, "Another score is proposed now: look at it, then decide; the metadata have its version.";
    StaleProposal = "STALE_PROPOSAL", Aborted, "The proposal is not there any more, or is another one now: look again, then decide.";
    MessageTooLarge = "MESSAGE_TOO_LARGE", ResourceExhausted, "The request is larger than the limit.";
    RateLimited = "RATE_LIMITED", ResourceExhausted, "Too many calls of this kind; try again after RetryInfo. The metadata name the limit.";
    TooManyStreams = "TOO_MANY_STREAMS", ResourceExhausted, "The player has too many streams open; close one.";
    RenamedLately = "RENAMED_LATELY", ResourceExhausted, "The player was renamed a short while ago; try again after RetryInfo.";
    TooManyBots = "TOO_MANY_BOTS", ResourceExhausted, "The player owns as many bots as one may.";
    TooBusy = "TOO_BUSY", ResourceExhausted, "Too many such calls are being worked on; try again in a moment.";
    StreamFull = "STREAM_FULL", ResourceExhausted, "The stream carries as many games or players as it can: open another one; the metadata say of what there are too many.";
    TooManyChallenges = "TOO_MANY_CHALLENGES", ResourceExhausted, "The player has as many open challenges as one may.";
    TooManyBlocks = "TOO_MANY_BLOCKS", ResourceExhausted, "The player blocks as many others as one may.";
    BotFull = "BOT_FULL", ResourceExhausted, "The bot plays as many games as it plays at once, which the metadata name; try again when one is over.";
    Draining = "DRAINING", Unavailable, "This replica is going away; call again and reach another.";
    LedgerUnavailable = "LEDGER_UNAVAILABLE", Unavailable, "The ledger cannot be reached; the same call can be sent again.";
    StoreUnavailable = "STORE_UNAVAILABLE", Unavailable, "The store cannot be reached; the same call can be sent again.";
    PeerUnavailable = "PEER_UNAVAILABLE", Unavailable, "Another service cannot be reached; the same call can be sent again.";
    NoBot = "NO_BOT", Unavailable, "No AI of that level has room now; try again.";
    ProviderUnavailable = "PROVIDER_UNAVAILABLE", Unavailable, "The identity provider cannot be reached; the same call can be sent again.";
    ServerTooOld = "SERVER_TOO_OLD", Unavailable, "This replica does not understand what a newer version has written to the game, as may be during an update; call again and reach another.";
    CallTooLong = "CALL_TOO_LONG", DeadlineExceeded, "The call took longer than calls may; what it wanted may still have happened.";
    Internal = "INTERNAL", Internal, "A bug of ours; it has been logged.";
}
