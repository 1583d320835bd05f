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

/** The directory of a test run's templates (checks/src/test-templates.ts); absent for a script that uses the test helpers. */
export const templates = process.env.TEST_TEMPLATES

/**
 * Fills an empty directory with the output of `make`. It runs once per test run and is copied afterwards, since migrating a new
 * store costs more than most tests.
 */
export async function fillFromTemplate(
	name: string,
	directory: string,
	make: (directory: string) => Promise<void>,
): Promise<void> {
	if (!templates) return make(directory)
	const template = join(templates, name)
	if (!existsSync(template)) await makeTemplate(template, make)
	// Keeps symbolic links between the engine's own files relative, so that they point into the copy.
	cpSync(template, directory, { recursive: true, verbatimSymlinks: true })
}

const waitMs = 50
const tooLongMs = 60_000

/** One of several processes makes the template. A process that has died or takes too long is not waited for. */
async function makeTemplate(template: string, make: (directory: string) => Promise<void>): Promise<void> {
	if (await isMadeByAnother(template)) return
	const draft = mkdtempSync(`${template}-`)
	await make(draft)
	// The same permissions as the program gives its files.
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
