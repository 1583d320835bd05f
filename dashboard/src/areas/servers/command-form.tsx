import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { InlineError } from '../../ui/states.tsx'
import { HostsField } from '../programs/hosts-field.tsx'
import { ProgramFields } from '../programs/program-fields.tsx'
import { parseArguments, parseHosts, parseVariables } from '../programs/program-texts.ts'
import type { RegisterFormProps } from './register-form.tsx'

/** Registers a program (stdio), which Signalbox installs and runs. */
export function CommandForm({ busy, error, onSubmit, onCancel }: RegisterFormProps) {
	const [name, setName] = useState('')
	const [draft, setDraft] = useState({ command: '', args: '', env: '' })
	const [hostText, setHostText] = useState('')
	const variables = parseVariables(draft.env)
	const read = parseHosts(hostText)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (!variables || 'wrong' in read) return
		onSubmit({
			name: name.trim(),
			command: draft.command.trim(),
			args: parseArguments(draft.args),
			...(Object.keys(variables).length > 0 && { env: variables }),
			...(read.hosts.length > 0 && { allowed_hosts: read.hosts }),
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<p className="rounded-md bg-sunken px-3 py-2 text-ink-2">
				Signalbox runs it on its own machine, in a sandbox. The workspace needs a right for that, which an
				operator of the instance gives.
			</p>
			<NameField hint="Appears in tool names" value={name} onChange={setName} />
			<ProgramFields draft={draft} onChange={setDraft} isEnvRead={variables !== null} />
			<HostsField value={hostText} onChange={setHostText} />
			{error !== null && <InlineError error={error} />}
			{error instanceof ApiError && error.code === 'stdio_not_allowed' && (
				<p className="text-ink-2">An operator gives the right under Instance, in the list of workspaces.</p>
			)}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={!variables || 'wrong' in read}>
					Register
				</Button>
			</DialogActions>
		</form>
	)
}
