import { malformed } from './programs.ts'
import type { ServerRow } from './server-repository.ts'

type Stored = Pick<ServerRow, 'configuration'>

/** The keys in a server's free-form `configuration` that Signalbox itself uses. */
export interface ServerConfiguration {
	/** Whether the arguments of its calls are recorded; null: the workspace's setting. */
	capturesArguments: boolean | null
	/** The same for the results of its tools. */
	capturesResults: boolean | null
	/** Whether to use only revisions with a handshake (up to 2025-11-25), even if the server knows a later one. */
	speaksLegacy: boolean
}

/** Parsed from the stored JSON text. */
export function readConfiguration(text: string): ServerConfiguration {
	const { capture_arguments, capture_results, protocol_era } = JSON.parse(text) as Record<string, unknown>
	return {
		capturesArguments: trueOrFalse(capture_arguments),
		capturesResults: trueOrFalse(capture_results),
		speaksLegacy: protocol_era === 'legacy',
	}
}

const trueOrFalse = (value: unknown) => (typeof value === 'boolean' ? value : null)

/** The known revision of a server in one era says nothing about the other era. */
export function isInOtherEra(now: Stored, then: Stored): boolean {
	return (
		readConfiguration(now.configuration).speaksLegacy !== readConfiguration(then.configuration).speaksLegacy
	)
}

/** Values that would have no effect are refused, so that typos are noticed. */
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
