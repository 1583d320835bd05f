import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

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
	cpSync(template, directory, { recursive: true })
}

async function makeTemplate(template: string, make: (directory: string) => Promise<void>): Promise<void> {
	const draft = mkdtempSync(`${template}-`)
	await make(draft)
	try {
		renameSync(draft, template)
	} catch {
		// Another process was first.
		rmSync(draft, { recursive: true, force: true })
	}
}
