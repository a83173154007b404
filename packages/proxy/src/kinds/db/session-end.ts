/** Why a session ended, for the person; empty when nobody has to be told. */
export class SessionEnd extends Error {}
