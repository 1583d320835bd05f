import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface ChromiumFound {
	executablePath: string
	/** Its source, for the reader of the test's output. */
	from: 'CHROMIUM_PATH' | 'the system' | '@sparticuz/chromium'
}

/** The flags that a headless Chromium needs in a container, and those that stop it from contacting other hosts. */
export const chromiumFlags = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-background-networking',
	'--disable-component-update',
	'--no-first-run',
]

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Finds a Chromium: the configured one, otherwise the system's, otherwise the one in an npm package. */
export async function findChromium(): Promise<ChromiumFound> {
	const named = process.env.CHROMIUM_PATH
	if (named) {
		if (!isExecutable(named))
			throw new Error(`CHROMIUM_PATH is ${named}, which cannot be run. Correct it, or unset it.`)
		return { executablePath: named, from: 'CHROMIUM_PATH' }
	}
	const installed = (process.env.PATH ?? '')
		.split(delimiter)
		.flatMap((directory) => names.map((name) => join(directory, name)))
		.find(isExecutable)
	if (installed) return { executablePath: installed, from: 'the system' }
	return { executablePath: await shipped(), from: '@sparticuz/chromium' }
}

async function shipped(): Promise<string> {
	try {
		const { default: chromium } = await import('@sparticuz/chromium')
		return await chromium.executablePath()
	} catch (cause) {
		throw new Error(
			'No Chromium was found. Run `npm ci` (it brings @sparticuz/chromium, for Linux), install one, or set CHROMIUM_PATH.',
			{ cause },
		)
	}
}

function isExecutable(path: string): boolean {
	if (!existsSync(path)) return false
	try {
		accessSync(path, constants.X_OK)
		return true
	} catch {
		return false
	}
}
