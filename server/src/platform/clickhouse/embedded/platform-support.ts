import { createRequire } from 'node:module'

/** The machine has no embedded engine. The message says what to do. */
export class EngineUnsupported extends Error {
	override name = 'EngineUnsupported'
}

/** Looks for the engine's library without loading it: loading belongs to the child process. */
export function requireSupportedPlatform(locate: () => unknown = locateLibrary): void {
	try {
		locate()
	} catch (cause) {
		throw new EngineUnsupported(
			`The embedded telemetry engine has no library for this machine (${process.platform}-${process.arch}; it exists for Linux with glibc and for macOS). Set CLICKHOUSE_URL to a ClickHouse server.`,
			{ cause },
		)
	}
}

function locateLibrary(): void {
	if (isMusl()) throw new Error('this system uses musl instead of glibc')
	const { libchdbPath } = createRequire(import.meta.url)('chdb/libchdb') as { libchdbPath(): string }
	libchdbPath()
}

function isMusl(): boolean {
	if (process.platform !== 'linux') return false
	const report = process.report as typeof process.report & { excludeNetwork: boolean }
	// Without this the report looks up the names of every open connection's peer.
	report.excludeNetwork = true
	const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
	return header.glibcVersionRuntime === undefined
}
