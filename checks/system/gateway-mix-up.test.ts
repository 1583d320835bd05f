import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestPostgres } from '../../server/src/platform/database/testing.ts'
import {
	fillNewDataDir,
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { modernHeaders, modernMeta, openSession, openStream, post } from './echo-client.ts'
import { type EchoUpstream, startEchoUpstream } from './echo-upstream.ts'

const isLong = process.env.LONG_TESTS !== undefined || process.env.MIX_UP_CALLS !== undefined
/** The short form makes as many calls on every machine: about what two cores do in 1.5 s. */
const calls = Number(process.env.MIX_UP_CALLS ?? (isLong ? 1_000_000 : 2_000))
/** The long form stops at this time limit and reports how many calls it made. */
const maxMs = isLong ? Number(process.env.MIX_UP_MINUTES ?? 80) * 60_000 : Number.POSITIVE_INFINITY
const agentCount = isLong ? 200 : 40
/** `MIX_UP_STAGE` selects one of them. */
const stages = ['two programs', 'a program with a worker'].filter(
	(stage) => !process.env.MIX_UP_STAGE || process.env.MIX_UP_STAGE === stage,
)

interface Caller {
	at: number
	name: string
	key: string
	/** The session id of a legacy client, which is valid at both programs. */
	session: string
	path: string
}

const programs: Program[] = []
const dataDirs: string[] = []
const upstreams: EchoUpstream[] = []
const callers: Caller[] = []
const wrong: string[] = []
let database: Awaited<ReturnType<typeof openTestPostgres>> | null = null

const programOf = (n: number) => programs[n % programs.length] as Program
const uriOf = ({ name }: Caller) => `echo://${name}`
const isLegacy = ({ at }: Caller) => at % 2 === 0
/** Whether the client declares capabilities. Such a client gets its own session with the upstream server. */
const hasCapabilities = ({ at }: Caller) => at % 8 === 0

/** Starts two programs that share PostgreSQL, or one program with two processes on one port, where the kernel chooses the process. */
async function startPrograms(stage: string): Promise<void> {
	const start = async (settings: Record<string, string>) => {
		const dataDir = newDataDir()
		dataDirs.push(dataDir)
		await fillNewDataDir(dataDir)
		programs.push(await startProgram(dataDir, settings))
	}
	if (stage !== 'two programs') return start({ SIGNALBOX_WORKERS: '2' })
	database = await openTestPostgres()
	const settings = { DATABASE_URL: database.url, SIGNALBOX_MASTER_KEY: randomBytes(32).toString('hex') }
	await start(settings)
	await start(settings)
}

async function setUp(stage: string): Promise<void> {
	await startPrograms(stage)
	const ids: string[] = []
	for (const era of ['legacy', 'modern'] as const) {
		const upstream = await startEchoUpstream(era)
		upstreams.push(upstream)
		const made = { name: `Echo ${era}`, url: upstream.url }
		ids.push((await programOf(0).api<{ id: string }>('POST', '/v1/mcp/servers', made, 201)).id)
	}
	for (let from = 0; from < agentCount; from += 20)
		await Promise.all(Array.from({ length: 20 }, (_, n) => addCaller(from + n, ids)))
	callers.sort((a, b) => a.at - b.at)
	await new Promise((resolve) => setTimeout(resolve, 1000))
	const initialize = async (caller: Caller) => {
		const capabilities = hasCapabilities(caller) ? { roots: {} } : {}
		caller.session = await openSession(programOf(caller.at).url + caller.path, caller.key, capabilities)
	}
	await Promise.all(callers.filter(isLegacy).map(initialize))
}

async function tearDown(): Promise<void> {
	await Promise.all(programs.splice(0).map((program) => program.kill('SIGTERM')))
	await Promise.all(upstreams.splice(0).map((upstream) => upstream.close()))
	await database?.end()
	database = null
	dataDirs.splice(0).forEach(removeDataDir)
	callers.splice(0)
	wrong.splice(0)
}

async function addCaller(at: number, serverIds: string[]): Promise<void> {
	const { api } = programOf(at)
	const name = `agent-${at}`
	const { id } = await api<{ id: string }>('POST', '/v1/agents', { name }, 201)
	const { key } = await api<{ key: string }>('POST', `/v1/agents/${id}/keys`, { name }, 201)
	const path = at % 4 < 2 ? '/mcp/echo-legacy' : '/mcp/echo-modern'
	const [legacy, modern] = serverIds
	for (const serverId of new Set([
		path.endsWith('modern') ? modern : legacy,
		...(at % 10 < 2 ? [legacy] : []),
	])) {
		const grant = { agent_uuid: id, access_mode: 'all' }
		await api('POST', `/v1/mcp/servers/${serverId}/access`, grant, 201)
	}
	callers.push({ at, name, key, session: '', path })
}

/** Makes one call at one of the programs and checks that every message of the response belongs to this call. */
async function callOnce(caller: Caller, n: number): Promise<void> {
	const { url } = programOf(caller.at + n)
	const nonce = `${randomBytes(6).toString('hex')}-${n}`
	const params = { name: 'echo', arguments: { from: caller.name, nonce } }
	const answer = isLegacy(caller)
		? await post(
				url + caller.path,
				caller.key,
				{ id: 7, method: 'tools/call', params: { ...params, _meta: { progressToken: 'p' } } },
				{ 'mcp-session-id': caller.session },
			)
		: await post(
				url + caller.path,
				caller.key,
				{ id: 7, method: 'tools/call', params: { ...params, _meta: { ...modernMeta, progressToken: 'p' } } },
				modernHeaders('tools/call', 'echo'),
			)
	const text = `${caller.name} ${nonce}`
	const result = answer.messages.pop()
	if (result?.id !== 7 || result.result?.content?.[0]?.text !== text)
		wrong.push(`${text} got ${answer.status} ${JSON.stringify(result)}`)
	if (answer.messages.length !== (nonce.endsWith('0') ? 0 : 1))
		wrong.push(`${text}: got ${answer.messages.length} notifications`)
	for (const { method, params } of answer.messages)
		if (method !== 'notifications/progress' || params.progressToken !== 'p' || params.message !== text)
			wrong.push(`${text} got the notification ${JSON.stringify(params)}`)
}

/** Checks that a client cannot use the session of another client. */
async function tryForeignSession(caller: Caller, n: number): Promise<void> {
	const other = callers[(caller.at + 4) % agentCount] as Caller
	const headers = { 'mcp-session-id': other.session }
	const url = programOf(n).url + caller.path
	const { status, messages } = await post(url, caller.key, { id: 7, method: 'tools/list' }, headers)
	if (status !== 404)
		wrong.push(`${caller.name} in ${other.name}'s session: ${status} ${JSON.stringify(messages)}`)
}

/** Opens streams of both eras that subscribe to one resource each. Returns the number of updates received for each resource. */
async function listen(ends: (() => void)[]): Promise<Map<string, number>> {
	const updateCounts = new Map<string, number>()
	const path = '/mcp/echo-legacy'
	for (const caller of callers.filter(({ at }) => at % 10 < 2)) {
		updateCounts.set(uriOf(caller), 0)
		const url = programOf(caller.at).url + path
		const onMessage = ({ method, params }: { method?: string; params?: { uri?: string } }) => {
			if (method !== 'notifications/resources/updated') return
			if (params?.uri === uriOf(caller)) updateCounts.set(params.uri, (updateCounts.get(params.uri) ?? 0) + 1)
			else wrong.push(`${caller.name} got an update of ${params?.uri}`)
		}
		const uri = uriOf(caller)
		if (isLegacy(caller)) {
			const session = await openSession(url, caller.key, hasCapabilities(caller) ? { roots: {} } : {})
			const headers = { 'mcp-session-id': session }
			ends.push(await openStream(url, caller.key, { headers }, onMessage))
			const subscribing = { id: 1, method: 'resources/subscribe', params: { uri } }
			// Subscribe at the other program. The stream must receive the updates nevertheless.
			await post(programOf(caller.at + 1).url + path, caller.key, subscribing, headers)
		} else {
			const method = 'subscriptions/listen'
			const params = { notifications: { resourceSubscriptions: [uri] }, _meta: modernMeta }
			const opening = { headers: modernHeaders(method), body: { id: 1, method, params } }
			ends.push(await openStream(url, caller.key, opening, onMessage))
		}
	}
	return updateCounts
}

/** The share of the calls that the less busy of the two processes handled. */
async function smallerShare(done: number): Promise<number> {
	const text = await (await fetch(`${programOf(0).url}/metrics`)).text()
	const rows = text.matchAll(/^signalbox_telemetry_acknowledged_rows\{process="\d"\} (\d+)$/gm)
	return Math.min(...[...rows].map(([, count]) => Number(count))) / done
}

describe.each(stages)(`${agentCount} agents of both eras over %s`, (stage) => {
	beforeAll(() => setUp(stage), 180_000)
	afterAll(tearDown, 60_000)

	it(
		'no response, notification or session reaches another client',
		async () => {
			const ends: (() => void)[] = []
			const updateCounts = await listen(ends)
			const uris = [...updateCounts.keys()]
			let at = 0
			const announcing = setInterval(() => upstreams[0]?.announce(uris[at++ % uris.length] as string), 20)
			const startMs = performance.now()
			let done = 0
			const work = async (caller: Caller) => {
				for (let n = 1; done < calls && performance.now() - startMs < maxMs; n += 1) {
					done += 1
					await callOnce(caller, n)
					if (n % 50 === 1 && isLegacy(caller)) await tryForeignSession(caller, n)
				}
			}
			await Promise.all(callers.map(work))
			const tookS = (performance.now() - startMs) / 1000
			for (const uri of uris)
				await expect
					.poll(
						() => {
							upstreams[0]?.announce(uri)
							return updateCounts.get(uri)
						},
						{ timeout: 10_000 },
					)
					.toBeGreaterThan(0)
			clearInterval(announcing)
			for (const end of ends) end()
			const updates = [...updateCounts.values()].reduce((sum, each) => sum + each, 0)
			console.log(
				`${stage}: ${done} calls in ${tookS.toFixed(0)} s, ${updates} updates on ${uris.length} streams, ${wrong.length} wrong`,
			)
			if (stage !== 'two programs') expect(await smallerShare(done)).toBeGreaterThan(0.1)
			expect(wrong.slice(0, 5)).toEqual([])
			expect(upstreams.flatMap(({ mixed }) => mixed)).toEqual([])
		},
		isLong ? maxMs + 300_000 : 300_000,
	)
})
