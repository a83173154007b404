/** What certificates of people say besides what OpenSSH knows; other servers pass over it. */

/** Id of the second-factor device with which the person signed in. */
export const deviceExtension = 'mfa-device@sallyport'
/** A hardware key confirmed this very certificate, and it lives for a moment only: it stands for a session that asks for a key. */
export const confirmedExtension = 'session-confirmed@sallyport'
/** The longest that such a certificate lives, in milliseconds. */
export const confirmedFor = 60_000
