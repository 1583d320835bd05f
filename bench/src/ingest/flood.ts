import { setTimeout as sleep } from 'node:timers/promises'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../../server/src/program/program.testing.ts'
import { quantile } from '../load.ts'
import { residentMb } from '../stage.ts'
import { rows } from './program-rows.ts'
import { type Receiver, type Sent, sendMix } from './send-mix.ts'

export interface FloodRound {
	senders: number
	acknowledgedPerSecond: number
	/** While they send, without the backlog. */
	storedPerSecond: number
	refused: number
	maxRetryS: number
	ackP99Ms: number
	/** The maximum in the round. */
	residentMb: number
}

const quick = process.argv.includes('--quick')
const usual = 8
const flood = 100
const roundMs = quick ? 8_000 : 20_000
/** Small enough to be filled by a flood within a round. */
const logBytes = 256 * 1024 * 1024

/**
 * What is accepted and stored from a few senders and from far too many, which retry at the time in `Retry-After`; in turns, on a small log.
 */
export async function measureFlood(nodeFlags: readonly string[]): Promise<FloodRound[]> {
	const dataDir = newDataDir()
	try {
		const settings = { SIGNALBOX_WAL_MAX_BYTES: String(logBytes) }
		const program = await startProgram(dataDir, settings, { nodeFlags })
		const { token } = await program.api<{ token: string }>('POST', '/v1/ingest-tokens', { name: 'b' }, 201)
		const receiver: Receiver = { url: program.url, grpcUrl: '', token }
		await sendMix(receiver, { format: 'protobuf', senders: usual, forMs: 3000 })
		const rounds: FloodRound[] = []
		for (const senders of quick ? [usual, flood] : [usual, flood, usual, flood])
			rounds.push(await measureRound(program, receiver, senders))
		await program.kill('SIGTERM')
		return rounds
	} finally {
		removeDataDir(dataDir)
	}
}

async function measureRound(program: Program, receiver: Receiver, senders: number): Promise<FloodRound> {
	while ((await rows(program, 'pending')) > 0) await sleep(50)
	const memory: number[] = []
	const watching = setInterval(() => memory.push(residentMb(program.pid)), 100)
	const [storedBefore, startMs] = [await rows(program, 'stored'), performance.now()]
	const sent: Sent = await sendMix(receiver, { format: 'protobuf', senders, forMs: roundMs })
	const seconds = (performance.now() - startMs) / 1000
	const stored = (await rows(program, 'stored')) - storedBefore
	clearInterval(watching)
	return {
		...{ senders, refused: sent.refused, maxRetryS: sent.maxRetryS },
		acknowledgedPerSecond: sent.spans / seconds,
		storedPerSecond: stored / seconds,
		ackP99Ms: quantile(sent.latencies, 0.99),
		residentMb: Math.max(...memory),
	}
}

export function showFlood(rounds: readonly FloodRound[]): void {
	console.log(
		'\nOTLP from more senders than there is room for, which retry when `Retry-After` says so (log of 256 MiB)',
	)
	for (const one of rounds)
		console.log(
			`  ${`${one.senders} senders`.padEnd(13)} stored ${one.storedPerSecond.toFixed(0)} spans/s, acknowledged ${one.acknowledgedPerSecond.toFixed(0)}, p99 ${one.ackP99Ms.toFixed(0)} ms, ${one.refused} refused (asked to come again within ${one.maxRetryS} s), at most ${one.residentMb.toFixed(0)} MB`,
		)
	const best = (senders: number) =>
		Math.max(...rounds.filter((one) => one.senders === senders).map(({ storedPerSecond }) => storedPerSecond))
	console.log(`  goodput kept  ${((100 * best(flood)) / best(usual)).toFixed(0)} % (goal ≥ 80)`)
}
