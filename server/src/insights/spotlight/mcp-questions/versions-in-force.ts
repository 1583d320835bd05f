/** When a version of a definition was first and last offered, milliseconds since 1970. */
export interface SeenVersion {
	hash: string
	firstMs: number
	/** Infinite while it is offered. */
	lastMs: number
}

/** From when on which version counts. */
export interface InForce {
	hash: string
	fromMs: number
}

/**
 * Which version of one tool counted when, the oldest first, no two neighbours the same: of those that were offered at a time the
 * newest, or the last one before. A server that goes back to an older version is seen by what it has now.
 */
export function versionsInForce(versions: readonly SeenVersion[]): InForce[] {
	const turns = versions.flatMap(({ firstMs, lastMs }) => [firstMs, lastMs]).filter(Number.isFinite)
	const inForce: InForce[] = []
	for (const fromMs of [...new Set(turns)].sort((a, b) => a - b)) {
		const { hash } = versionAt(versions, fromMs)
		if (hash !== inForce.at(-1)?.hash) inForce.push({ hash, fromMs })
	}
	return inForce
}

function versionAt(versions: readonly SeenVersion[], ms: number): SeenVersion {
	const begun = versions.filter(({ firstMs }) => firstMs <= ms)
	const offered = begun.filter(({ lastMs }) => ms < lastMs)
	return newest(offered.length > 0 ? offered : begun)
}

function newest(versions: readonly SeenVersion[]): SeenVersion {
	return versions.reduce((last, each) => (each.firstMs > last.firstMs ? each : last))
}
