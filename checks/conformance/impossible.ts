import type { RequirementSet } from './run-suite.ts'

/** A scenario that fails where the eras of client and server differ, since no translation can make it pass. */
export interface Impossible {
	requirements: RequirementSet
	fixture: 'modern' | 'legacy'
	scenario: string
	reason: string
}

/** All accepted failures. The test fails if a listed scenario passes. */
export const impossible: readonly Impossible[] = [
	{
		requirements: '2026-07-28',
		fixture: 'legacy',
		scenario: 'server-stateless',
		reason:
			'A client without the capability that a tool needs must get the error -32021. Legacy servers have no such error: this one returns a result saying that its tool failed, and a result is not an error.',
	},
	{
		requirements: '2026-07-28',
		fixture: 'legacy',
		scenario: 'input-required-result-basic-elicitation',
		reason:
			'The client looks for the name that the server gave to its elicitation. Legacy servers do not name their elicitations, so Signalbox makes up the name.',
	},
]
