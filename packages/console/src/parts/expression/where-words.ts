import type { ExpressionWords } from './expression-offers.ts'

/** What a rule's `where` may say. */
export const whereWords: ExpressionWords = {
  words: [
    { label: 'contains', insert: 'contains(|)', note: 'a list has a value' },
    { label: 'equals', insert: 'equals(|)', note: 'two values are the same' },
    { label: 'all_end_with', insert: 'all_end_with(|)', note: 'every value ends so' },
    { label: 'all_equal', insert: 'all_equal(|)', note: 'every value is this' },
    { label: 'is_subset', insert: 'is_subset(|)', note: 'nothing but these' },
    { label: 'user.metadata.name', note: 'who asks' },
    { label: 'user.spec.roles', note: 'their roles' },
    { label: 'user.spec.traits', insert: 'user.spec.traits["|"]', note: 'one of their traits' },
    { label: 'resource.metadata.name', note: 'what it is about' },
    { label: 'resource.metadata.labels', insert: 'resource.metadata.labels["|"]', note: 'a label of it' },
    { label: 'resource.spec', insert: 'resource.spec.', note: 'a field of it' },
    { label: 'session.participants', note: 'of a recording' },
    { label: 'ssh_session.participants', note: 'of a live session' },
    { label: 'session_tracker.participants', note: 'of a live session' },
    { label: 'impersonate_role', insert: 'impersonate_role.metadata.name', note: 'of impersonation' },
    { label: 'impersonate_user', insert: 'impersonate_user.metadata.name', note: 'of impersonation' },
  ],
}
