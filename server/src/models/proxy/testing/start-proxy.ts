import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scopes } from '@signalbox/contract'
import { type AgentEntry, everyModel, type ModelAccess } from '../../../access/agents/agents.ts'
import { openAudit, systemActor } from '../../../accounts/audit/audit.ts'
import { openIdentity, openInstance } from '../../../accounts/identity/identity.ts'
import { readConfig } from '../../../config/config.ts'
import { publicAddress } from '../../../config/public-address.ts'
import { appendChange, ChangeFeed } from '../../../platform/changes.ts'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import { systemClock as clock } from '../../../platform/clock.ts'
import { MasterKeyRotation } from '../../../platform/crypto/master-key-rotation.ts'
import { createKeyring } from '../../../platform/crypto/seal.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { createApi } from '../../../platform/http/api.ts'
import { createIngress } from '../../../platform/http/ingress.ts'
import { listen } from '../../../platform/http/listener.ts'
import { LiveRequests } from '../../../platform/http/live-requests.ts'
import { refuseWithProblem } from '../../../platform/http/refusals.ts'
import { createLaneRule } from '../../../platform/http/router.ts'
import { newId } from '../../../platform/ids.ts'
import { openJobs } from '../../../platform/jobs/open-jobs.ts'
import { createLog, type Log } from '../../../platform/log.ts'
import { createMutate } from '../../../platform/mutation.ts'
import { singleProcess } from '../../../platform/processes/processes.ts'
import { createSafeFetch } from '../../../platform/safe-fetch.ts'
import { decodeNativeSpans } from '../../../telemetry/blocks/native.testing.ts'
import { applyErasures } from '../../../telemetry/erasures/erase-rows.ts'
import { insertErasure } from '../../../telemetry/erasures/erasure-repository.ts'
import {
	createRecordCalls,
	openRecorder,
	openShedOfAll,
	openTelemetryApi,
	RowMaker,
	type RuleSet,
	type SpanRow,
	textRules,
} from '../../../telemetry/index.ts'
import type { RowInsert } from '../../../telemetry/recorder/insert-missing.ts'
import { openBudgets } from '../../budgets/budgets.ts'
import { openPrices } from '../../prices/index.ts'
import { openModelProxy, refuseModel } from '../index.ts'

export type ProxyUnderTest = Awaited<ReturnType<typeof startProxy>>

export interface ProxyOptions {
	bodyLimitBytes?: number
	publicUrl?: string
	recorderMaxBytes?: number
	/** Silent by default. */
	log?: Log
	/** Whether addresses of this machine may be called; true by default. */
	loopbackAllowed?: boolean
	/** Must be the same for all processes on one store; random by default. */
	masterKey?: Buffer
	/** The store to which the log ships and from which telemetry is read; kept in memory by default. */
	telemetry?: TelemetryStore
	/** A workspace's own redaction rules; none by default. */
	rulesOf?: (workspaceId: string) => RuleSet | undefined
}

/**
 * The model proxy behind the real ingress, with real identity, log and stores. Agents are supplied by the test. Rows are read
 * back from the shipments to the telemetry store.
 */
export async function startProxy(store: ControlStore, options: ProxyOptions = {}) {
	const directory = mkdtempSync(join(tmpdir(), 'signalbox-model-proxy-'))
	const shipped: RowInsert[] = []
	const log = options.log ?? createLog('silent')
	const ring = createKeyring([options.masterKey ?? randomBytes(32)])
	const keyOf = (name: string) => Buffer.from(ring.mac(name, ''), 'hex')
	const recorder = await openRecorder({
		directory,
		keyOf,
		store: options.telemetry ?? {
			insertRowBinary: async (insert) =>
				void (insert.table === 'spans' && shipped.push({ ...insert, rows: Buffer.from(insert.rows) })),
		},
		log,
		clock,
		...(options.recorderMaxBytes && { maxBytes: options.recorderMaxBytes }),
		tuning: { batchDelayMs: 5 },
	})
	const recorded: SpanRow[] = []
	recorder.onRecorded((rows) => recorded.push(...rows))
	const feed = new ChangeFeed(store, log, clock)
	const mutate = createMutate(store, feed)
	const shared = { store, feed, mutate, clock, log, sealer: ring }
	const masterKey = new MasterKeyRotation({ store, ring, dataDir: null, clock, log })
	const audit = openAudit(shared)
	const safeFetch = createSafeFetch({
		allowedNetworks: null,
		loopbackAllowed: options.loopbackAllowed ?? true,
		forbidden: () => [],
	})
	const config = readConfig({})
	const identity = await openIdentity({
		...shared,
		instance: openInstance({ ...shared, config }),
		masterKey,
		safeFetch,
		audit,
		config,
		publicAddress: () => publicAddress(config),
	})
	const agents = new Map<string, AgentEntry>()
	const seen: string[] = []
	const jobs = openJobs(shared)
	const prices = openPrices({
		...{ ...shared, audit, jobs },
		telemetry: { query: async () => [], command: async () => {} },
	})
	const { priceCall } = prices
	const budgets = openBudgets({ ...shared, audit, priceCall })
	const keeping = {
		retention: { daysOf: () => 30 },
		redaction: { rulesOf: options.rulesOf ?? (() => undefined) },
	}
	const telemetry =
		options.telemetry &&
		openTelemetryApi({ ...shared, recorder, telemetry: options.telemetry, identity, ...keeping })
	const shedLogs = openShedOfAll({ feed, recorder, processes: singleProcess }, 1)
	const erasing = options.telemetry && {
		...shared,
		audit,
		jobs,
		shedLogs,
		telemetry: options.telemetry,
		pauseMs: 0,
	}
	const rowMaker = new RowMaker({ recorder, log })
	feed.add(rowMaker)
	feed.onApplied(() => rowMaker.start())
	const models = openModelProxy({
		...shared,
		audit,
		priceCall,
		spending: budgets.spending,
		identity,
		agents: { view: { get: (id) => agents.get(id) }, noteSeen: (id) => void seen.push(id) },
		calls: recorder,
		rowMaker,
		ownPricesOf: prices.ownPricesOf,
		rulesOf: (id) => ({
			retentionDays: 30,
			rules: keeping.redaction.rulesOf(id),
			textRules: textRules(keeping.redaction.rulesOf(id)),
		}),
		recordCalls: createRecordCalls(recorder, (row) => row),
		jobs,
		safeFetch,
		publicUrl: options.publicUrl ?? null,
		...(options.bodyLimitBytes && { bodyLimitBytes: options.bodyLimitBytes }),
	})
	const api = await createApi(
		[models, budgets, prices, identity, telemetry].flatMap((area) => area?.operations ?? []),
		log,
	)
	const liveRequests = new LiveRequests()
	feed.onApplied(() => liveRequests.recheck())
	await feed.start()
	jobs.start()
	const routes = [...api.routes, ...models.routes]
	const ingress = createIngress({
		routes,
		authenticate: identity.authenticate,
		refusals: {
			api: refuseWithProblem,
			page: refuseWithProblem,
			mcp: refuseWithProblem,
			otlp: refuseWithProblem,
			model: refuseModel,
		},
		checkOrigin: () => null,
		onDenied: () => {},
		stillAllowedFrom: identity.stillAllowedFrom,
		stillValid: identity.stillValid,
		liveRequests,
		log,
	})
	const attended = new Set<ServerResponse>()
	const watched: typeof ingress = (request, response) => {
		attended.add(response)
		response.once('close', () => attended.delete(response))
		ingress(request, response)
	}
	const listener = await listen('127.0.0.1', 0, watched, { usesFastLane: createLaneRule(routes) })
	const url = `http://127.0.0.1:${listener.port}`

	return {
		url,
		/** The directory of the log, and the keys of its segments. */
		directory,
		keyOf,
		feed,
		budgets,
		shipped: () => shipped.map(({ rows }) => rows.toString()).join(''),
		/** The rows shipped to the telemetry store. */
		stored: () => shipped.flatMap(decodeNativeSpans),
		seen,
		/** The outcome of every call, in the order in which they ended. */
		recorded,
		recorder,
		liveRequests,
		/** The responses whose clients have not left. */
		attended,
		/** Waits until no call runs, and all that have ended have rows. */
		settled: () => until(() => liveRequests.size === 0 && recorder.stats().openCalls === 0),
		addWorkspace: async () => {
			const id = newId()
			const at = clock.nowMs()
			await store.db
				.insertInto('workspaces')
				.values({ id, name: 'Test', created_at: at, updated_at: at })
				.execute()
			return id
		},
		/** Creates a platform key with every scope, or with the given ones. */
		addKey: async (workspaceId: string, given = scopes) => {
			const by = systemActor('test')
			const wanted = {
				workspaceId,
				kind: 'platform' as const,
				name: 'test',
				scopes: given,
				by,
				requestId: null,
			}
			return mutate((tx) => identity.createCredential(tx, wanted))
		},
		addAgent: async (workspaceId: string, name = `agent-${newId()}`) => {
			const at = clock.nowMs()
			const agent: AgentEntry = {
				id: newId(),
				workspaceId,
				name,
				status: 'active',
				modelAccess: everyModel,
				callLimit: null,
				toolListing: 'all',
			}
			const row = {
				id: agent.id,
				workspace_id: workspaceId,
				name,
				description: '',
				status: 'active',
				last_seen_at: null,
				model_access: '{"mode":"all"}',
			}
			await store.db
				.insertInto('agents')
				.values({ ...row, created_at: at, updated_at: at })
				.execute()
			agents.set(agent.id, agent)
			const by = systemActor('test')
			const wanted = { workspaceId, kind: 'agent' as const, name, agentId: agent.id, by, requestId: null }
			const { id: keyId, secret } = await mutate((tx) => identity.createCredential(tx, wanted))
			return { ...agent, keyId, secret }
		},
		setModelAccess: async (id: string, modelAccess: ModelAccess) => {
			agents.set(id, { ...(agents.get(id) as AgentEntry), modelAccess })
			await mutate((tx) => appendChange(tx, 'agent', id, clock))
		},
		setAgentStatus: async (id: string, status: AgentEntry['status']) => {
			agents.set(id, { ...(agents.get(id) as AgentEntry), status })
			await mutate((tx) => appendChange(tx, 'agent', id, clock))
		},
		/** Makes a request to the platform API with a key. */
		api: async (key: string, method: string, path: string, body?: unknown) => {
			const response = await fetch(`${url}${path}`, {
				method,
				headers: {
					'x-service-api-key': key,
					...(body !== undefined && { 'content-type': 'application/json' }),
				},
				...(body !== undefined && { body: JSON.stringify(body) }),
			})
			const text = await response.text()
			return { status: response.status, text, json: text ? JSON.parse(text) : null }
		},
		/** Requests an erasure as an admin; `applyErasures` does what its job would do soon. */
		eraseSession: async (workspaceId: string, session_id: string) => {
			const at = clock.nowMs()
			const row = { id: newId(at), workspace_id: workspaceId, session_id, user_id: null }
			await mutate(async (tx) => {
				await insertErasure(tx, { ...row, created_at: at, erased_at: null })
				await appendChange(tx, 'erasure', row.id, clock)
			})
		},
		applyErasures: async () => erasing && applyErasures(erasing, new AbortController().signal),
		/** As at the end of the program. */
		closeModels: () => models.close().then(() => rowMaker.close()),
		close: async () => {
			await listener.close(0)
			await jobs.close()
			await models.close()
			await rowMaker.close()
			await telemetry?.close()
			await budgets.close()
			await identity.close()
			await feed.stop()
			await api.close()
			await safeFetch.close()
			await recorder.close(1000)
			rmSync(directory, { recursive: true, force: true })
		},
	}
}

/** Waits until a condition holds; fails after 10 s. */
export async function until(holds: () => boolean): Promise<void> {
	for (const deadline = performance.now() + 10_000; performance.now() < deadline; ) {
		if (holds()) return
		await new Promise((resolve) => setTimeout(resolve, 2))
	}
	throw new Error('The condition did not come true within 10 s')
}
