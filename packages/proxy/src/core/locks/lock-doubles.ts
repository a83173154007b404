/** No lock at all. For tests only. */
export const noLocks = { require: (): void => undefined, whyLocked: (): string | undefined => undefined }
