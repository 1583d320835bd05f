import type { OutputOf, spotlightMcpOperations } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { TimeRange } from '../../../platform/time-range.ts'
import { listChangingTools, type VersionTimes } from '../../../servers/tool-definitions/tool-definitions.ts'
import type { Findings, InsightContext, InsightRequest } from './tool-insight-context.ts'
import { type Stretch, type StretchSums, sumStretches } from './tool-insight-repository.ts'

/** When a version of a definition was first and last offered, in milliseconds since 1970. */
interface SeenVersion {
	hash: string
	firstMs: number
	/** Infinite while it is offered. */
	lastMs: number
}

/** From when on a version was in force. */
interface InForce {
	hash: string
	fromMs: number
}

/**
 * Which version of one tool was in force when, oldest first, without equal neighbours: the newest of those that were offered at a
 * time, or otherwise the last one before. A server that returns to an older version is recognised by what it offers now.
 */
function versionsInForce(versions: readonly SeenVersion[]): InForce[] {
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

type Row = OutputOf<(typeof spotlightMcpOperations)['definition_changes']>['definition_changes'][number]
type Figures = Row['before']

/** Maximum number of versions per answer. */
const maxVersions = 20_000

interface Change {
	server: string
	tool: string
	before: InForce
	after: InForce
	/** When the next change follows. */
	untilMs: number
}

/** Changes of definitions in a range, newest first, with the figures of calls before and after. */
export async function readDefinitionChanges(
	context: InsightContext,
	asked: InsightRequest,
): Promise<Findings<Row>> {
	const { workspaceId, range } = asked
	const times = { serverId: asked.server, limit: maxVersions }
	const versions = await listChangingTools(context.store.db, workspaceId, times)
	const found = changesOf(versions).filter(({ server, after: { fromMs } }) => {
		return fromMs >= range.startMs && fromMs < range.endMs && context.servers.get(server)
	})
	found.sort((a, b) => b.after.fromMs - a.after.fromMs || (keyOf(a) < keyOf(b) ? -1 : 1))
	const changes = found.slice(0, asked.limit)
	const stretches = changes.flatMap(stretchesOf)
	const sums = stretches.length === 0 ? [] : await sumStretches(context, asked, range, stretches)
	const figures = new Map(
		sums.map((each) => [keyOfStretch(stretches[Number(each.stretch)] as Stretch), each]),
	)
	return {
		rows: changes.map((change) => present(context, range, change, figures)),
		total: found.length,
		truncated: versions.length === maxVersions,
	}
}

function changesOf(versions: readonly VersionTimes[]): Change[] {
	return [...Map.groupBy(versions, keyOfVersion).values()].flatMap((ofTool) => {
		const [{ server_id: server, name: tool }] = ofTool as [VersionTimes]
		const inForce = versionsInForce(ofTool.map(toSeen))
		return inForce.slice(1).map((after, at) => ({
			...{ server, tool, after },
			before: inForce[at] as InForce,
			untilMs: inForce[at + 2]?.fromMs ?? Number.POSITIVE_INFINITY,
		}))
	})
}

function toSeen({ hash, first_seen, last_seen, current_hash }: VersionTimes) {
	const lastMs = hash === current_hash ? Number.POSITIVE_INFINITY : last_seen
	return { hash, firstMs: first_seen, lastMs }
}

const keyOfVersion = ({ server_id, name }: VersionTimes) => `${server_id} ${name}`
const keyOf = ({ server, tool }: Pick<Stretch, 'server' | 'tool'>) => `${server} ${tool}`
const keyOfStretch = (stretch: Stretch) => `${stretch.fromMs} ${keyOf(stretch)}`

function stretchesOf({ server, tool, before, after }: Change): Stretch[] {
	return [before, after].map(({ fromMs }) => ({ server, tool, fromMs }))
}

function present(
	{ servers }: InsightContext,
	range: TimeRange,
	change: Change,
	sums: ReadonlyMap<string, StretchSums>,
): Row {
	const [before, after] = [change.before, change.after].map((version, at) => {
		const untilMs = at === 0 ? change.after.fromMs : Math.min(change.untilMs, range.endMs)
		const since = toIso(Math.max(version.fromMs, range.startMs))
		const figures = presentSums(sums.get(keyOfStretch({ ...change, fromMs: version.fromMs })))
		return { hash: version.hash, since, until: toIso(untilMs), ...figures }
	}) as [Figures, Figures]
	return {
		server: { id: change.server, name: servers.get(change.server)?.name ?? '' },
		tool: change.tool,
		changed_at: toIso(change.after.fromMs),
		...{ before, after },
		error_rate_change: difference(before.error_rate, after.error_rate),
		p95_change_ms: difference(before.p95_ms, after.p95_ms),
	}
}

function presentSums(sums: StretchSums | undefined) {
	const calls = Number(sums?.calls ?? 0)
	const errors = Number(sums?.errors ?? 0)
	const hasTimes = sums !== undefined && sums.timed !== '0'
	return {
		...{ calls, errors },
		error_rate: calls === 0 ? null : errors / calls,
		p95_ms: hasTimes ? Number(sums.p95_ns) / 1e6 : null,
	}
}

function difference(before: number | null, after: number | null): number | null {
	return before === null || after === null ? null : after - before
}
