import type { RequirementSet } from './run-suite.ts'

/** A scenario that fails where the eras of client and server differ, since no translation can make it pass. */
export interface Impossible {
	requirements: RequirementSet
	fixture: 'modern' | 'legacy'
	scenario: string
	reason: string
}

/** Every failure that is let pass; an entry that passes after all fails the test. */
export const impossible: readonly Impossible[] = [
	{
		requirements: '2026-07-28',
		fixture: 'legacy',
		scenario: 'server-stateless',
		reason:
			'A client that cannot be asked shall read the error -32021. Servers of the legacy era have no such error: this one answers that its tool failed, which is an answer.',
	},
	{
		requirements: '2026-07-28',
		fixture: 'legacy',
		scenario: 'input-required-result-basic-elicitation',
		reason:
			'The client looks for the name that the server gave to its elicitation. Servers of the legacy era ask without naming their elicitations, so the name is ours.',
	},
]
