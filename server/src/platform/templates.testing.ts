import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	renameSync,
	rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Where a run of tests keeps its templates (checks/src/test-templates.ts); absent for a script that uses the helpers of tests. */
export const templates = process.env.TEST_TEMPLATES

/**
 * Fills an empty directory with what `make` writes into one: made once in a run and copied from then on, since a new store's
 * migrations cost more than most tests.
 */
export async function fillFromTemplate(
	name: string,
	directory: string,
	make: (directory: string) => Promise<void>,
): Promise<void> {
	if (!templates) return make(directory)
	const template = join(templates, name)
	if (!existsSync(template)) await makeTemplate(template, make)
	// Links between the engine's own files lead into the copy, not into the template.
	cpSync(template, directory, { recursive: true, verbatimSymlinks: true })
}

const waitMs = 50
const tooLongMs = 60_000

/** Of several processes one makes it; one that is too slow, or has ended, is not waited for. */
async function makeTemplate(template: string, make: (directory: string) => Promise<void>): Promise<void> {
	if (await isMadeByAnother(template)) return
	const draft = mkdtempSync(`${template}-`)
	await make(draft)
	// As the program makes its files.
	for (const entry of readdirSync(draft, { recursive: true, withFileTypes: true }))
		if (!entry.isSymbolicLink())
			chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600)
	try {
		renameSync(draft, template)
	} catch {
		rmSync(draft, { recursive: true, force: true })
	}
}

async function isMadeByAnother(template: string): Promise<boolean> {
	try {
		mkdirSync(`${template}.begun`)
		return false
	} catch {
		const deadline = performance.now() + tooLongMs
		while (!existsSync(template) && performance.now() < deadline) await setTimeout(waitMs)
		return existsSync(template)
	}
}
