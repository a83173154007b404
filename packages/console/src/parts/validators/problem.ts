/**
 * What the viewer's input has to be, in this folder: one validator for each kind of field, one message for each mistake.
 * Several files, because each page loads only those that it asks.
 */
export type Problem = string | undefined
