import type { HealthStatus, TransportType } from '@signalbox/contract'
import type { Dispatcher } from 'undici'
import { appendEvent } from '../accounts/events/events.ts'
import { appendChange } from '../platform/changes.ts'
import { startTimer, toIso } from '../platform/clock.ts'
import type { DatabaseTransaction } from '../platform/database/database.ts'
import { newId } from '../platform/ids.ts'
import { doubledMs, withJitter } from '../platform/retry.ts'
import { insertCheck } from './check-repository.ts'
import {
	type Discovery,
	type DiscoveryTimeouts,
	discoverServer,
	type Target,
	UpstreamFailure,
} from './discovery/discovery.ts'
import { type DiscoverFurther, discoverFurtherNow } from './further-discovery.ts'
import { programUrl } from './programs/index.ts'
import { isInOtherEra, readConfiguration } from './server-configuration.ts'
import type { ServerContext } from './server-context.ts'
import { findServerForView, type ServerRow, updateServer } from './server-repository.ts'
import { openHeaders } from './stored-headers.ts'
import { prepareTools, takeTools } from './tool-definitions/tool-definitions.ts'

export type Outcome = (Omit<Discovery, 'transportType'> & { transportType: TransportType }) | UpstreamFailure

/**
 * Queries a server for its introduction and tools, and for conditional tools through `further`. A failure is returned, not thrown.
 */
export async function queryServer(
	{ dispatcher, ending }: { dispatcher: Dispatcher; ending: AbortSignal },
	target: Pick<Target, 'url' | 'headers' | 'transportType' | 'speaksLegacy'>,
	patience: DiscoveryTimeouts,
	further: DiscoverFurther = discoverFurtherNow,
): Promise<Outcome> {
	const timer = startTimer()
	try {
		const found = await discoverServer(dispatcher, { ...target, signal: ending }, patience)
		const { url, headers } = target
		const leftMs = Math.floor(patience.totalMs - timer())
		return await further({ dispatcher, url, headers, signal: ending }, found, leftMs)
	} catch (error) {
		if (error instanceof UpstreamFailure) return error
		throw error
	}
}

/** Connects to servers over the network, as opposed to hosted programs. */
export function overNetwork({ safeFetch, ending }: ServerContext) {
	return { dispatcher: safeFetch.dispatcher, ending }
}

/**
 * Checks a stored server now. `commit` runs the function that stores the outcome and returns the updated row. If the server was
 * never understood, its transport is detected again.
 */
export async function checkServer(
	servers: ServerContext,
	row: ServerRow,
	patience: DiscoveryTimeouts,
	further: DiscoverFurther,
	commit: (note: (tx: DatabaseTransaction) => Promise<ServerRow | null>) => Promise<void>,
): Promise<Outcome> {
	const transportType = row.protocol_version === null ? null : (row.transport_type as 'http' | 'sse')
	const headers = await headersOf(servers, row)
	const { speaksLegacy } = readConfiguration(row.configuration)
	const outcome =
		row.hosting_mode === 'hosted'
			? await askProgram(servers, row, patience, further)
			: headers instanceof Error
				? headers
				: await queryServer(
						overNetwork(servers),
						{ url: row.endpoint_url, headers, transportType, speaksLegacy },
						patience,
						further,
					)
	await prepareOutcome(servers, row, outcome)
	if (!servers.ending.aborted) await commit((tx) => noteOutcome(tx, servers, row, outcome))
	return outcome
}

/** Starts the program of a server if it is not running, and queries it through its pipes. */
async function askProgram(
	{ probes, ending }: ServerContext,
	row: ServerRow,
	patience: DiscoveryTimeouts,
	further: DiscoverFurther,
): Promise<Outcome> {
	if (row.status === 'error' && row.last_error) return new UpstreamFailure(row.last_error)
	if (row.status === 'deploying') return new UpstreamFailure('Its package is being installed.')
	const target = {
		url: programUrl(row.id),
		headers: new Map<string, string>(),
		transportType: 'http' as const,
		speaksLegacy: readConfiguration(row.configuration).speaksLegacy,
	}
	const outcome = await queryServer({ dispatcher: probes, ending }, target, patience, further)
	return outcome instanceof Error ? outcome : { ...outcome, transportType: 'stdio' }
}

async function headersOf(
	{ sealer, credentialForChecks }: ServerContext,
	row: ServerRow,
): Promise<ReadonlyMap<string, string> | UpstreamFailure> {
	const stored = storedHeadersOf(sealer, row)
	if (stored instanceof Error) return stored
	try {
		const server = { id: row.id, name: row.name, url: row.endpoint_url }
		return new Map([...stored, ...Object.entries((await credentialForChecks?.(server)) ?? {})])
	} catch (error) {
		return new UpstreamFailure(error instanceof Error ? error.message : 'There is no token for it.', {
			cause: error,
		})
	}
}

function storedHeadersOf(
	sealer: ServerContext['sealer'],
	row: ServerRow,
): ReadonlyMap<string, string> | UpstreamFailure {
	try {
		return openHeaders(sealer, row)
	} catch (error) {
		return new UpstreamFailure('Its stored headers do not open with this master key; set them again.', {
			cause: error,
		})
	}
}

/** Columns that determine which server is queried, and which process of its program. */
const queriedColumns = [
	...(['endpoint_url', 'sealed_headers', 'command', 'args', 'sealed_env', 'package'] as const),
	'restarted_at' as const,
]

/** Whether a check of one row says something about the server as it is in the other. */
export function isSameTarget(asked: ServerRow, row: ServerRow): boolean {
	return queriedColumns.every((name) => row[name] === asked[name]) && !isInOtherEra(row, asked)
}

/** Discards the outcome if the server was given another URL or other headers, restarted or deleted during the check. */
async function noteOutcome(
	tx: DatabaseTransaction,
	servers: ServerContext,
	asked: ServerRow,
	outcome: Outcome,
): Promise<ServerRow | null> {
	const row = await findServerForView(tx, asked.id)
	if (!row || !isSameTarget(asked, row)) return null
	const values = valuesOf(row, outcome, servers.clock.nowMs())
	await updateServer(tx, row.workspace_id, row.id, values)
	await noteCheck(tx, { ...row, ...values }, outcome)
	const newTools = await storeSeenTools(tx, servers, row, outcome)
	const viewed = ['health_status', 'transport_type', 'protocol_version', 'introduction'] as const
	const changed = viewed.some((name) => values[name] !== undefined && values[name] !== row[name])
	if (values.health_status !== row.health_status) await notifyHealth(tx, servers, row, { ...row, ...values })
	const notifies = isNewTrouble(row, values)
	if (changed || newTools || notifies) await appendChange(tx, 'server', row.id, servers.clock)
	return { ...row, ...values }
}

/** Stores the tools that a check found. The first check that saw all of them is the baseline for later ones. */
export async function storeSeenTools(
	tx: DatabaseTransaction,
	{ clock }: Pick<ServerContext, 'clock'>,
	before: ServerRow,
	outcome: Outcome,
): Promise<boolean> {
	if (outcome instanceof Error || outcome.tools === null) return false
	return takeTools(tx, clock, before, outcome.tools)
}

/** Whether callers must be told why a server does not work; a change of its latency alone does not matter. */
function isNewTrouble(
	before: ServerRow,
	{ failures, last_error }: Pick<ServerRow, 'failures' | 'last_error'>,
): boolean {
	return failures > 0 ? last_error !== before.last_error : before.failures > 0
}

function notifyHealth(
	tx: DatabaseTransaction,
	{ clock }: ServerContext,
	before: ServerRow,
	{ id, name, workspace_id, health_status, last_error, last_health_check }: ServerRow,
): Promise<void> {
	const data = {
		server: { id, name },
		from: before.health_status,
		to: health_status,
		error: last_error,
		checked_at: toIso(last_health_check),
	}
	return appendEvent(tx, { workspaceId: workspace_id, type: 'server.health_changed', data }, clock)
}

/** Scans new definitions before the transaction that stores them. */
export async function prepareOutcome(
	{ store }: Pick<ServerContext, 'store'>,
	row: Pick<ServerRow, 'id' | 'workspace_id'>,
	outcome: Outcome,
): Promise<void> {
	if (!(outcome instanceof Error) && outcome.tools) await prepareTools(store.db, row, outcome.tools)
}

/** Adds a check to a server's history. */
export async function noteCheck(tx: DatabaseTransaction, after: ServerRow, outcome: Outcome): Promise<void> {
	const reached = outcome instanceof Error ? null : outcome
	await insertCheck(tx, {
		id: newId(after.last_health_check),
		server_id: after.id,
		workspace_id: after.workspace_id,
		at: after.last_health_check,
		status: after.health_status,
		latency_ms: after.last_latency_ms,
		error: after.last_error,
		protocol_version: reached?.protocolVersion ?? null,
		tools: reached?.tools?.length ?? null,
	})
}

/** The columns that the outcome of a check sets. */
export function valuesOf(
	row: Pick<ServerRow, 'health_status' | 'failures'>,
	outcome: Outcome,
	nowMs: number,
) {
	const { health, failures } = nextHealth(
		{ health: row.health_status as HealthStatus, failures: row.failures },
		outcome,
	)
	const reached = outcome instanceof Error ? null : outcome
	return {
		health_status: health,
		failures,
		last_health_check: nowMs,
		last_error: troubleOf(outcome),
		last_latency_ms: reached?.latencyMs ?? null,
		...(reached && {
			transport_type: reached.transportType,
			protocol_version: reached.protocolVersion,
			introduction: JSON.stringify(reached.introduction),
		}),
		...(reached?.tools && !reached.isPartial && { tools_refreshed_at: nowMs }),
	}
}

export const healthJob = 'server-health'
const maxMs = 10 * 60 * 1000

/** Milliseconds until the next check: sooner after a first failure, then with increasing delays while the server is unreachable. */
export function nextCheckInMs(intervalMs: number, failures: number): number {
	if (failures === 1) return withJitter(intervalMs / 4, 0.2)
	const waitMs = doubledMs({ firstMs: intervalMs, maxMs }, Math.max(0, failures - 2))
	return withJitter(Math.max(intervalMs, waitMs) * 0.9, 0.2)
}

/** Schedules the next background check of a server, or none: only active servers are checked. */
export async function scheduleCheck(
	tx: DatabaseTransaction,
	{ jobs, clock, checkIntervalMs }: ServerContext,
	{ id, workspace_id: workspaceId, status, failures, health_status }: ServerRow,
): Promise<void> {
	if (status !== 'active') return jobs.cancel(tx, healthJob, id)
	const waitMs = health_status === 'unknown' ? 0 : nextCheckInMs(checkIntervalMs, failures)
	await jobs.enqueue(tx, { kind: healthJob, key: id, workspaceId, runAtMs: clock.nowMs() + waitMs })
}

const slowMs = 2000
const maxFailures = 2

/**
 * The health after a check. One success is healthy, or degraded if slow or partial. A first failure degrades a server that worked,
 * the second makes it unhealthy. A server that never worked is unhealthy at once.
 */
export function nextHealth(
	before: { health: HealthStatus; failures: number },
	outcome: Pick<Discovery, 'toolsFailure' | 'latencyMs'> | Error,
): { health: HealthStatus; failures: number } {
	if (!(outcome instanceof Error)) {
		const whole = outcome.toolsFailure === null && outcome.latencyMs <= slowMs
		return { health: whole ? 'healthy' : 'degraded', failures: 0 }
	}
	const failures = before.failures + 1
	const worked = before.health === 'healthy' || before.health === 'degraded'
	return { health: worked && failures < maxFailures ? 'degraded' : 'unhealthy', failures }
}

/** The problem, for people; null if there is none. */
function troubleOf(outcome: Pick<Discovery, 'toolsFailure' | 'latencyMs'> | Error): string | null {
	if (outcome instanceof Error) return outcome.message
	if (outcome.toolsFailure !== null) return `Its tools could not be listed. ${outcome.toolsFailure}`
	return outcome.latencyMs > slowMs ? `It took ${Math.round(outcome.latencyMs)} ms to answer.` : null
}
