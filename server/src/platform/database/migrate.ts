import { type Kysely, sql } from 'kysely'
import * as initial from '../../../migrations/0001-initial.ts'
import * as accounts from '../../../migrations/0002-accounts.ts'
import * as federation from '../../../migrations/0003-federation.ts'
import * as workspaces from '../../../migrations/0004-workspaces.ts'
import * as keys from '../../../migrations/0005-keys.ts'
import * as jobs from '../../../migrations/0006-jobs-and-servers.ts'
import * as http from '../../../migrations/0007-http.ts'
import * as grants from '../../../migrations/0008-grants.ts'
import * as events from '../../../migrations/0009-events.ts'
import * as accessSuggestions from '../../../migrations/0010-access-suggestions.ts'
import * as letters from '../../../migrations/0011-letters.ts'
import * as hostedPrograms from '../../../migrations/0012-hosted-programs.ts'
import * as oauth from '../../../migrations/0013-oauth.ts'
import * as toolDefinitions from '../../../migrations/0014-tool-definitions.ts'
import * as approvals from '../../../migrations/0015-approvals.ts'
import * as tracesOfDeliveries from '../../../migrations/0016-traces-of-deliveries.ts'
import * as grantsOfParts from '../../../migrations/0017-grants-of-prompts-and-resources.ts'
import * as usedRequestStates from '../../../migrations/0018-used-request-states.ts'
import * as restartsOfPrograms from '../../../migrations/0019-restarts-of-programs.ts'
import * as budgetsAndPrices from '../../../migrations/0020-budgets-and-prices.ts'
import * as toolFaces from '../../../migrations/0021-tool-faces.ts'
import * as resultsAndNames from '../../../migrations/0023-results-and-names.ts'
import * as upstreamContexts from '../../../migrations/0024-upstream-contexts.ts'
import * as mcpTasks from '../../../migrations/0025-mcp-tasks.ts'
import * as telemetryKeeping from '../../../migrations/0026-telemetry-keeping.ts'
import * as callRecording from '../../../migrations/0027-call-recording.ts'
import * as redactionRules from '../../../migrations/0028-redaction-rules.ts'
import * as objectsOfProviders from '../../../migrations/0029-objects-of-providers.ts'
import * as governedModels from '../../../migrations/0030-governed-models.ts'
import * as injectUsage from '../../../migrations/0031-inject-usage.ts'
import * as questionsAndAlerts from '../../../migrations/0032-questions-and-alerts.ts'
import * as sessionShares from '../../../migrations/0033-session-shares.ts'
import * as eraVerdicts from '../../../migrations/0034-era-verdicts.ts'
import * as recordedBodies from '../../../migrations/0035-recorded-bodies.ts'
import * as demo from '../../../migrations/0036-demo.ts'
import * as telemetryOutAndAnew from '../../../migrations/0037-telemetry-out-and-anew.ts'
import * as hooks from '../../../migrations/0038-hooks.ts'
import * as deferredCalls from '../../../migrations/0039-deferred-calls.ts'
import * as rulesOfTokens from '../../../migrations/0041-rules-of-tokens.ts'
import * as rejectedDefinitions from '../../../migrations/0042-rejected-definitions.ts'
import * as workspaceSlugs from '../../../migrations/0043-workspace-slugs.ts'
import * as answeredAuthorizations from '../../../migrations/0044-answered-authorizations.ts'
import * as toolContent from '../../../migrations/0045-tool-content.ts'
import * as deniedHints from '../../../migrations/0046-denied-hints.ts'
import * as webhookFormats from '../../../migrations/0047-webhook-formats.ts'
import * as dashboards from '../../../migrations/0048-dashboards.ts'
import * as notifiedStatus from '../../../migrations/0049-notified-status.ts'
import * as viewsOfLists from '../../../migrations/0050-views-of-lists.ts'
import * as timeZones from '../../../migrations/0051-time-zones.ts'
import * as vendors from '../../../migrations/0052-vendors.ts'
import { systemClock, toIso } from '../clock.ts'
import { type Log, silentLog } from '../log.ts'
import { type ControlStore, type DatabaseTransaction, transact } from './database.ts'
import { holdsTelemetry } from './open-control-store.ts'
import { snapshotBefore } from './snapshot.ts'

/** Forward only, in this order, one file per area; a released migration is never edited. */
export const controlMigrations: ControlMigrations = {
	'0001-initial': initial,
	'0002-accounts': accounts,
	'0003-federation': federation,
	'0004-workspaces': workspaces,
	'0005-keys': keys,
	'0006-jobs-and-servers': jobs,
	'0007-http': http,
	'0008-grants': grants,
	'0009-events': events,
	'0010-access-suggestions': accessSuggestions,
	'0011-letters': letters,
	'0012-hosted-programs': hostedPrograms,
	'0013-oauth': oauth,
	'0014-tool-definitions': toolDefinitions,
	'0015-approvals': approvals,
	'0016-traces-of-deliveries': tracesOfDeliveries,
	'0017-grants-of-prompts-and-resources': grantsOfParts,
	'0018-used-request-states': usedRequestStates,
	'0019-restarts-of-programs': restartsOfPrograms,
	'0020-budgets-and-prices': budgetsAndPrices,
	'0021-tool-faces': toolFaces,
	'0023-results-and-names': resultsAndNames,
	'0024-upstream-contexts': upstreamContexts,
	'0025-mcp-tasks': mcpTasks,
	'0026-telemetry-keeping': telemetryKeeping,
	'0027-call-recording': callRecording,
	'0028-redaction-rules': redactionRules,
	'0029-objects-of-providers': objectsOfProviders,
	'0030-governed-models': governedModels,
	'0031-inject-usage': injectUsage,
	'0032-questions-and-alerts': questionsAndAlerts,
	'0033-session-shares': sessionShares,
	'0034-era-verdicts': eraVerdicts,
	'0035-recorded-bodies': recordedBodies,
	'0036-demo': demo,
	'0037-telemetry-out-and-anew': telemetryOutAndAnew,
	'0038-hooks': hooks,
	'0039-deferred-calls': deferredCalls,
	'0041-rules-of-tokens': rulesOfTokens,
	'0042-rejected-definitions': rejectedDefinitions,
	'0043-workspace-slugs': workspaceSlugs,
	'0044-answered-authorizations': answeredAuthorizations,
	'0045-tool-content': toolContent,
	'0046-denied-hints': deniedHints,
	'0047-webhook-formats': webhookFormats,
	'0048-dashboards': dashboards,
	'0049-notified-status': notifiedStatus,
	'0050-views-of-lists': viewsOfLists,
	'0051-time-zones': timeZones,
	'0052-vendors': vendors,
}

/** Migrates the control store to the newest schema and returns the applied names. Refuses a store of a newer program. */
export function migrateControlStore(
	store: ControlStore,
	log: Pick<Log, 'info'> = silentLog,
): Promise<string[]> {
	return runMigrations(store, controlMigrations, log)
}

/** Lists of migration names. */
interface ControlMigrationStatus {
	applied: string[]
	pending: string[]
	/** Migrations that only a newer program knows. */
	unknown: string[]
}

/** The status of a store that does not exist yet. */
export const noControlMigrations: ControlMigrationStatus = statusOf([])

export async function controlMigrationStatus(store: ControlStore): Promise<ControlMigrationStatus> {
	return statusOf(await appliedMigrations(store))
}

function statusOf(applied: string[]): ControlMigrationStatus {
	return {
		applied,
		pending: Object.keys(controlMigrations).filter((name) => !applied.includes(name)),
		unknown: applied.filter((name) => !(name in controlMigrations)),
	}
}

/** One step of the control store's schema. */
export interface ControlMigration {
	up(db: Kysely<unknown>): Promise<void>
}

export type ControlMigrations = Readonly<Record<string, ControlMigration>>

/** An id of our own, so that no other program on the same PostgreSQL waits for our migrations. */
const lockNumber = 7_277_001

/**
 * Applies the missing migrations in order; returns their names. Each is one transaction that also records it, so a killed program
 * leaves only whole steps. The lock is taken for each step, so of two programs the second waits and then finds the step done.
 * Before the first step on a store with data, an SQLite file is copied.
 */
export async function runMigrations(
	store: ControlStore,
	migrations: ControlMigrations,
	log: Pick<Log, 'info'>,
): Promise<string[]> {
	const applied: string[] = []
	const before = await appliedMigrations(store)
	refuseNewer(before, migrations)
	const pending = Object.entries(migrations).filter(([name]) => !before.includes(name))
	const [first] = pending
	const snapshot = first && before.length > 0 ? await snapshotBefore(store, first[0]) : null
	if (snapshot) log.info({ snapshot }, 'the control store was copied before its migration')
	for (const [name, migration] of pending) {
		if (!(await applyOnce(store, name, migration, migrations))) continue
		applied.push(name)
		// For a new store the single steps are of no interest.
		if (before.length > 0) log.info({ migration: name }, 'the control store was migrated')
	}
	if (before.length === 0 && applied.length > 0)
		log.info({ migrations: applied.length }, 'the control store was made')
	return applied
}

/** The names of the applied migrations, in order. */
export async function appliedMigrations({ db }: Pick<ControlStore, 'db'>): Promise<string[]> {
	const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
	if (!tables.some((table) => table.name === 'kysely_migration')) return []
	const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
	return rows.map(({ name }) => name)
}

/**
 * Throws if the directory holds the telemetry of an instance, but the database has never been used: a new instance would start beside the
 * telemetry of the old one. For SQLite see `refuseLostControlStore`.
 */
export async function refuseEmptyDatabase(store: ControlStore, dataDir: string): Promise<void> {
	if (store.kind !== 'postgres' || !holdsTelemetry(dataDir)) return
	if ((await appliedMigrations(store)).length > 0) return
	throw new Error(
		`The PostgreSQL database (DATABASE_URL) is empty, but ${dataDir} holds the telemetry of an instance. Set DATABASE_URL to the database of that instance; if it used SQLite, leave DATABASE_URL out, or move the instance: signalbox backup create, then signalbox backup restore into a new data directory.`,
	)
}

/** True if this call applied it, false if another program did meanwhile. */
function applyOnce(
	store: ControlStore,
	name: string,
	migration: ControlMigration,
	migrations: ControlMigrations,
): Promise<boolean> {
	return transact(store.db, async (tx) => {
		// On SQLite the transaction already takes the write lock when it begins.
		if (store.kind === 'postgres') await sql`select pg_advisory_xact_lock(${lockNumber})`.execute(tx)
		const applied = await namesIn(tx)
		refuseNewer(applied, migrations)
		if (applied.includes(name)) return false
		await apply(tx, name, migration)
		return true
	})
}

async function apply(tx: DatabaseTransaction, name: string, migration: ControlMigration): Promise<void> {
	await migration.up(tx as unknown as Kysely<unknown>)
	const nowIso = toIso(systemClock.nowMs())
	await sql`insert into kysely_migration (name, timestamp) values (${name}, ${nowIso})`.execute(tx)
}

/** Makes the schema of an empty store in the caller's transaction: all of the migrations that are named, or none. */
export async function makeSchemaIn(tx: DatabaseTransaction, names: readonly string[]): Promise<void> {
	await namesIn(tx)
	for (const [name, migration] of Object.entries(controlMigrations))
		if (names.includes(name)) await apply(tx, name, migration)
}

/** This is the table of Kysely's migrator, which created the first stores. */
async function namesIn(tx: DatabaseTransaction): Promise<string[]> {
	await sql`create table if not exists kysely_migration
		(name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(tx)
	const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(tx)
	return rows.map(({ name }) => name)
}

function refuseNewer(applied: readonly string[], migrations: ControlMigrations): void {
	const unknown = applied.find((name) => !(name in migrations))
	if (unknown === undefined) return
	throw new Error(
		`The control store was written by a newer Signalbox (migration ${unknown}). Start that version, or restore a backup.`,
	)
}
