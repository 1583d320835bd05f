import type { ChildProcess } from 'node:child_process'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { type GrantChanges, measureGrantChanges } from './grant-changes.ts'
import { fillStore, type LargeStore } from './large-store.ts'
import { closedLoop, type Measured, type Target } from './load.ts'
import { newPostgres, type StoreUnderTest, sqliteIn } from './management-stores.ts'
import { moveToCore, onCore, residentMb, startPart } from './stage.ts'

export interface ReadFigures {
	name: string
	/** Size of one answer in bytes. */
	bytes: number
	callers: number
	ours: Measured
	/** Fastify alone with an answer of that size, in the same seconds. */
	bare: Measured
}

export interface ManagementFigures {
	store: string
	fillMs: number
	/** From the start of the process until the first sign-in was answered, and resident memory at that time. */
	empty: { startMs: number; memoryMb: number }
	filled: { startMs: number; memoryMb: number }
	reads: ReadFigures[]
	grantChanges: GrantChanges
}

const quick = process.argv.includes('--quick')
const roundMs = quick ? 500 : 3000
const rounds = quick ? 1 : 3
const warmUpMs = quick ? 500 : 3000
const callerCounts = [1, 10, 50]

/** Reads and grant changes on SQLite and on PostgreSQL, with 10,000 servers, 10,000 agents and 100,000 grants in the store. */
export async function measureManagement(
	nodeFlags: readonly string[],
	show: (figures: ManagementFigures) => void,
): Promise<void> {
	// Everything started from here on shares the load's core, except the program and the bare answer.
	moveToCore(1, process.pid)
	for (const kind of ['sqlite', 'postgres']) {
		const dataDir = newDataDir()
		const store = kind === 'sqlite' ? sqliteIn(dataDir) : await newPostgres()
		try {
			show(await measureOn(store, dataDir, nodeFlags))
		} finally {
			await store.close()
			removeDataDir(dataDir)
		}
	}
}

async function measureOn(
	store: StoreUnderTest,
	dataDir: string,
	nodeFlags: readonly string[],
): Promise<ManagementFigures> {
	// The very first start creates the key, the owner and the compile cache, so it is not measured.
	const workspaceId = await withProgram(store, dataDir, [], async ({ program }) => {
		const { workspace } = await program.api<{ workspace: { id: string } }>('GET', '/auth/me')
		return workspace.id
	})
	const empty = await withProgram(store, dataDir, [], async (started) => figuresOf(started))
	const begunMs = performance.now()
	const large = await store.use((opened) => fillStore(opened, workspaceId))
	const fillMs = performance.now() - begunMs
	return withProgram(store, dataDir, nodeFlags, async (started) => ({
		store: store.name,
		fillMs,
		empty,
		filled: figuresOf(started),
		reads: await measureReads(started.program, large),
		grantChanges: await measureGrantChanges(started.program),
	}))
}

interface Started {
	program: Program
	startMs: number
}

async function withProgram<T>(
	{ environment }: StoreUnderTest,
	dataDir: string,
	nodeFlags: readonly string[],
	work: (started: Started) => Promise<T>,
): Promise<T> {
	const begunMs = performance.now()
	// For a ceiling: refusals because of overload would count as fast answers.
	const settings = { ...environment, SIGNALBOX_OVERLOAD_LAG_MS: '0' }
	const program = await startProgram(dataDir, settings, { prefix: onCore(0), nodeFlags })
	const startMs = performance.now() - begunMs
	for (const pid of program.children()) moveToCore(1, pid)
	try {
		return await work({ program, startMs })
	} finally {
		await program.kill('SIGTERM')
	}
}

function figuresOf({ program, startMs }: Started) {
	return { startMs, memoryMb: residentMb(program.pid) }
}

async function measureReads(program: Program, { serverIds, crowdedId }: LargeStore): Promise<ReadFigures[]> {
	const children: ChildProcess[] = []
	const bare = await startPart('bare-fastify.ts', [], 0, children)
	try {
		let next = 0
		const eachServer = () => {
			next += 7
			return `/v1/mcp/servers/${serverIds[next % serverIds.length]}`
		}
		const measure = (name: string, path: Target['path'], callers: number[]) =>
			measureRead(program, bare.url, { name, path, callers })
		return [
			...(await measure('GET /v1/mcp/servers/{id}, 10 grants each', eachServer, callerCounts)),
			...(await measure('GET /v1/mcp/servers/{id}, 10,000 grants', `/v1/mcp/servers/${crowdedId}`, [1])),
			...(await measure('GET /agent/list, page of 20', '/agent/list', callerCounts)),
			...(await measure('GET /agent/list, page of 100', '/agent/list?limit=100', [10])),
			...(await measure('GET /agent/list, page 400 of 20', '/agent/list?page=400', [10])),
		]
	} finally {
		for (const child of children) child.kill()
	}
}

async function measureRead(
	program: Program,
	bareUrl: string,
	{ name, path, callers }: { name: string; path: Target['path']; callers: number[] },
): Promise<ReadFigures[]> {
	const headers = { authorization: `Bearer ${program.token}` }
	const ours = { name, origin: program.url, path, headers }
	const bare = { name, origin: bareUrl, path: '/answer', headers: {} }
	const text = await (
		await fetch(program.url + (typeof path === 'string' ? path : path()), { headers })
	).text()
	const json = { 'content-type': 'application/json' }
	await fetch(`${bareUrl}/answer`, { method: 'PUT', headers: json, body: text })
	await closedLoop(bare, 10, warmUpMs / 2)
	await closedLoop(ours, 10, warmUpMs)
	const figures: ReadFigures[] = []
	for (const count of callers)
		figures.push({ name, bytes: text.length, callers: count, ...(await paired(ours, bare, count)) })
	return figures
}

/** In turns, so that other load on the machine affects both; returns the round with the median ratio. */
async function paired(ours: Target, bare: Target, callers: number) {
	const all: { ours: Measured; bare: Measured }[] = []
	for (let round = 0; round < rounds; round += 1)
		all.push({
			bare: await closedLoop(bare, callers, roundMs / 2),
			ours: await closedLoop(ours, callers, roundMs),
		})
	all.sort((a, b) => a.ours.perSecond / a.bare.perSecond - b.ours.perSecond / b.bare.perSecond)
	return all[Math.floor(rounds / 2)] as { ours: Measured; bare: Measured }
}
