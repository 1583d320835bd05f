import { announceNote, concludeNote, notes, openNotesRecorder } from './testing.ts'

// Records for a while on a disk on which one system call fails, and prints a line for each acknowledgement and each refusal. Its
// store accepts and prints everything, so rows count as stored as soon as the log ships them.

const [directory = ''] = process.argv.slice(2)
const rounds = 40
const say = (text: string) => process.stdout.write(`${text}\n`)

const recorder = await openNotesRecorder({
	directory,
	segmentBytes: 128 * 1024,
	tuning: { batchDelayMs: 2 },
	store: {
		async insertRowBinary({ rows, deduplicationToken }) {
			say(`insert ${deduplicationToken} ${rows.toString('base64')}`)
		},
	},
})

// Each thread may hit the fault; afterwards the log accepts records again.
let isKept = false
for (let n = 0; n < rounds || (!isKept && n < 2 * rounds); n++) {
	isKept = await appendOnce(`append-${n}`)
	await callOnce(`call-${n}`)
}
if (isKept) say('works in the end')
const until = performance.now() + 3000
while (recorder.stats().pendingRows > 0 && performance.now() < until)
	await new Promise((resolve) => setTimeout(resolve, 5))
// The output must be flushed before the process ends: with a slow reader, megabytes of it are still buffered here.
await new Promise((resolve) => process.stdout.write('\n', resolve))
process.kill(process.pid, 'SIGKILL')

async function appendOnce(id: string): Promise<boolean> {
	const kept = await recorder.append(notes([id], 'x'.repeat(8000))).catch(() => false)
	say(`${kept ? 'kept' : 'refused'} ${id}`)
	// While the log opens its next segment it refuses immediately; without a pause, all rounds would end before it works again.
	if (!kept) await new Promise((resolve) => setTimeout(resolve, 10))
	return kept
}

/** An announced call has happened, whatever becomes of its record, so it must not be missing at the end. */
async function callOnce(id: string): Promise<void> {
	try {
		const intent = await announceNote(recorder, id)
		say(`begun ${id}`)
		await concludeNote(recorder, intent)
		say(`kept ${id}`)
	} catch {
		// It was refused before it happened, or its outcome is written when the disk works again.
	}
}
