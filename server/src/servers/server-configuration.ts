import { malformed } from './programs.ts'
import type { ServerRow } from './server-repository.ts'

type Stored = Pick<ServerRow, 'configuration'>

/** What the free-form `configuration` of a server says to Signalbox itself. */
export interface ServerConfiguration {
	/** Whether the arguments of its calls are recorded; null: as the workspace says. */
	capturesArguments: boolean | null
	/** The same of what its tools answer. */
	capturesResults: boolean | null
	/** Whether it is spoken to in revisions with a handshake (at most 2025-11-25) though it may know a later one. */
	speaksLegacy: boolean
}

/** Of the stored JSON text. */
export function readConfiguration(text: string): ServerConfiguration {
	const { capture_arguments, capture_results, protocol_era } = JSON.parse(text) as Record<string, unknown>
	return {
		capturesArguments: trueOrFalse(capture_arguments),
		capturesResults: trueOrFalse(capture_results),
		speaksLegacy: protocol_era === 'legacy',
	}
}

const trueOrFalse = (value: unknown) => (typeof value === 'boolean' ? value : null)

/** Which revision a server spoke in the one era says nothing of the other. */
export function isInOtherEra(now: Stored, then: Stored): boolean {
	return (
		readConfiguration(now.configuration).speaksLegacy !== readConfiguration(then.configuration).speaksLegacy
	)
}

/** A word that nobody would act upon is refused, so that a slip is seen. */
export function requireSoundConfiguration(configuration: Record<string, unknown> | undefined): void {
	for (const name of ['capture_arguments', 'capture_results'])
		if (typeof (configuration?.[name] ?? true) !== 'boolean')
			throw malformed(`/configuration/${name}`, "is true or false, or absent for the workspace's choice")
	const era = configuration?.protocol_era ?? null
	if (era === null || era === 'legacy') return
	throw malformed(
		'/configuration/protocol_era',
		'is `legacy` (2025-11-25 at most), or absent for the newest revision that the server knows',
	)
}
