import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { cpuOfAll, familyOf } from '../cpu.ts'
import { closedLoop, type Measured, type Target, warmUp } from '../load.ts'
import { moveToCore, onCore, type Stage, startPart } from '../stage.ts'
import { installPeers } from './install.ts'
import { openSession } from './open-session.ts'
import { type Peer, peers, stdioServer } from './peers.ts'
import { freePort, untilReady } from './start.ts'

export interface PeerFigures extends Measured {
	name: string
	upstream: Peer['upstream']
	/** Processor time per call over all processes, including the far end, in µs. */
	cpuUs: number
}

const callers = 32
const quick = process.argv.includes('--quick')
const roundMs = quick ? 2000 : 4000
const rounds = quick ? 1 : 3

/**
 * `tools/call` at the ceiling through Signalbox and through each peer, in turns, with the same kind of far end and session; null
 * without the peers.
 */
export async function measurePeers({ program }: Stage, agent: AgentOfStage): Promise<PeerFigures[] | null> {
	const commands = installPeers()
	if (commands === null) return null
	const children: ChildProcess[] = []
	try {
		const farEnd = await startPart('upstream.ts', ['legacy'], 1, children)
		const key = { authorization: `Bearer ${agent.key}` }
		const open = (slug: string) => openSession('Signalbox', `${program.url}/mcp/${slug}`, program.pid, key)
		const overHttp = await open(await agent.register(`${farEnd.url}/mcp`))
		const overStdio = await open(await agent.host(stdioServer))
		// The hosted program is a far end too.
		for (const below of familyOf(program.pid).slice(1)) moveToCore(1, below)
		const subjects: Subject[] = [
			{ name: 'Signalbox', upstream: 'http', target: overHttp, farEnd: farEnd.pid },
			{ name: 'Signalbox', upstream: 'stdio', target: overStdio, farEnd: 0 },
		]
		for (const peer of peers) subjects.push(await startPeer(peer, commands, farEnd, children))
		return await measureInTurns(subjects)
	} finally {
		for (const child of children) child.kill()
	}
}

/** The calling agent, and how it gets access to one more server. */
export interface AgentOfStage {
	key: string
	register(url: string): Promise<string>
	/** The same for a program that Signalbox runs. */
	host(script: string): Promise<string>
}

interface Subject {
	name: string
	upstream: Peer['upstream']
	target: Target
	/** Pid of a far end that it did not start itself; 0 for none. */
	farEnd: number
}

async function startPeer(
	peer: Peer,
	commands: string,
	farEnd: { url: string; pid: number },
	children: ChildProcess[],
): Promise<Subject> {
	const port = await freePort()
	const [first = '', ...rest] = onCore(0)
	const env = { ...process.env, ...peer.environment(port, farEnd.url) }
	// One of them starts only under its real path.
	const command = [process.execPath, realpathSync(`${commands}/${peer.command}`)]
	children.push(spawn(first, [...rest, ...command, ...peer.args(port)], { stdio: 'ignore', env }))
	const pid = children.at(-1)?.pid ?? 0
	const target = await untilReady(() => openSession(peer.name, `http://127.0.0.1:${port}/mcp`, pid))
	// Its child processes are the far end, which is on the other core for every peer.
	for (const below of familyOf(pid).slice(1)) moveToCore(1, below)
	const { name, upstream } = peer
	return { name, upstream, target, farEnd: upstream === 'http' ? farEnd.pid : 0 }
}

async function measureInTurns(subjects: readonly Subject[]): Promise<PeerFigures[]> {
	const measured = subjects.map((): PeerFigures[] => [])
	for (const { target } of subjects) await warmUp(target, callers, quick)
	for (let round = 0; round < rounds; round += 1)
		for (const [index, subject] of subjects.entries()) measured[index]?.push(await measureOne(subject))
	return measured.map((all) => all.sort((a, b) => a.cpuUs - b.cpuUs)[all.length >> 1] as PeerFigures)
}

async function measureOne({ name, upstream, target, farEnd }: Subject): Promise<PeerFigures> {
	const pids = [...familyOf(target.pid as number), ...(farEnd ? [farEnd] : [])]
	const before = cpuOfAll(pids)
	const measured = await closedLoop(target, callers, roundMs)
	return { ...measured, name, upstream, cpuUs: (cpuOfAll(pids) - before) / measured.requests }
}
