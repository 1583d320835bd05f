import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropTemplateDatabase } from '../../server/src/platform/database/testing.ts'
import { offerSharedStage } from '../system/shared-stage.ts'

/**
 * Gives the test processes of a run a shared directory for what they copy instead of creating it again, and for the stage that browser
 * tests share; empties it at the end.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
	// Another project of the same run has already done it.
	if (process.env.TEST_TEMPLATES) return undefined
	const home = mkdtempSync(join(tmpdir(), 'signalbox-templates-'))
	process.env.TEST_TEMPLATES = home
	const endStage = await offerSharedStage(home)
	return async () => {
		await endStage()
		delete process.env.TEST_TEMPLATES
		await dropTemplateDatabase(home)
		rmSync(home, { recursive: true, force: true })
	}
}
