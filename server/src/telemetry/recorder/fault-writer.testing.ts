import { announceNote, concludeNote, notes, openNotesRecorder } from './testing.ts'

// Records for a while on a disk of which one system call fails, and says line by line what it was promised and what was
// refused. Its store takes everything and says nothing, so rows are stored as far as the log gives them out.

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

// Each thread may meet the fault: after it the log takes records again.
let isKept = false
for (let n = 0; n < rounds || (!isKept && n < 2 * rounds); n++) {
	isKept = await appendOnce(`append-${n}`)
	await callOnce(`call-${n}`)
}
if (isKept) say('works in the end')
const until = performance.now() + 3000
while (recorder.stats().pendingRows > 0 && performance.now() < until)
	await new Promise((resolve) => setTimeout(resolve, 5))
// What was said must be out before the end: a reader on a busy machine leaves megabytes of it waiting in this process.
await new Promise((resolve) => process.stdout.write('\n', resolve))
process.kill(process.pid, 'SIGKILL')

async function appendOnce(id: string): Promise<boolean> {
	const kept = await recorder.append(notes([id], 'x'.repeat(8000))).catch(() => false)
	say(`${kept ? 'kept' : 'refused'} ${id}`)
	// While the log opens its next segment it refuses at once: all rounds would be over before it works again.
	if (!kept) await new Promise((resolve) => setTimeout(resolve, 10))
	return kept
}

/** A call that was announced happened, whatever becomes of its record: it must not be missing in the end. */
async function callOnce(id: string): Promise<void> {
	try {
		const intent = await announceNote(recorder, id)
		say(`begun ${id}`)
		await concludeNote(recorder, intent)
		say(`kept ${id}`)
	} catch {
		// Refused before it happened, or its outcome is written when the disk works again.
	}
}
