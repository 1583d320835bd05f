import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	statSync,
	writeFileSync,
} from 'node:fs'
import { homedir, platform } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** Where the file lies that the API names as its client does: `~/…`, or relative to the project. */
export function locate(path: string): string {
	if (path === 'claude_desktop_config.json') return join(desktopFolder(), path)
	return path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(path)
}

function desktopFolder(): string {
	if (platform() === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Claude')
	if (platform() === 'win32') return join(homedir(), 'AppData', 'Roaming', 'Claude')
	return join(homedir(), '.config', 'Claude')
}

export function readIfThere(path: string): string | null {
	return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** Writes the file for its owner only, since it may hold a key; the one before is kept beside it. Returns the path of that. */
export function replaceFile(path: string, text: string): string | null {
	const existed = existsSync(path)
	const backup = existed ? freeName(`${path}.bak`) : null
	if (backup) copyFileSync(path, backup)
	mkdirSync(dirname(path), { recursive: true })
	const draft = `${path}.${process.pid}`
	writeFileSync(draft, text, { mode: existed ? statSync(path).mode & 0o700 : 0o600 })
	renameSync(draft, path)
	return backup
}

function freeName(path: string): string {
	for (let number = 0; ; number += 1) {
		const name = number === 0 ? path : `${path}.${number}`
		if (!existsSync(name)) return name
	}
}
