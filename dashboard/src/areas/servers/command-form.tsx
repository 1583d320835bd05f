import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import type { RegisterFormProps } from './register-form.tsx'

/** A server that is a program of this machine (stdio): stored now, run by a later version. */
export function CommandForm({ busy, error, onSubmit, onCancel }: RegisterFormProps) {
	const [name, setName] = useState('')
	const [command, setCommand] = useState('')
	const [args, setArgs] = useState('')
	const [env, setEnv] = useState('')
	const variables = parseVariables(env)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({
			name: name.trim(),
			command: command.trim(),
			args: args.split('\n').filter((line) => line !== ''),
			...(variables && Object.keys(variables).length > 0 && { env: variables }),
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<p className="rounded-md bg-sunken px-3 py-2 text-ink-2">
				A program runs on the machine of Signalbox, so the workspace needs a right that an operator of the
				instance gives. This version stores programs; they are run by a later one.
			</p>
			<Field label="Name" hint="Agents see it in tool names">
				{(field) => (
					<Input
						{...field}
						required
						maxLength={100}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
				)}
			</Field>
			<Field label="Command" hint="The program alone, as in npx">
				{(field) => (
					<Input
						{...field}
						required
						maxLength={1024}
						value={command}
						onChange={(event) => setCommand(event.target.value)}
						className="font-mono"
					/>
				)}
			</Field>
			<Field label="Arguments" optional hint="One a line">
				{(field) => (
					<Textarea
						{...field}
						spellCheck={false}
						value={args}
						onChange={(event) => setArgs(event.target.value)}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			<Field
				label="Environment"
				optional
				hint="One a line, as in TOKEN=… The values are sealed, and never shown again."
				error={variables ? undefined : 'Each line needs a name, = and a value'}
			>
				{(field) => (
					<Textarea
						{...field}
						spellCheck={false}
						autoComplete="off"
						value={env}
						onChange={(event) => setEnv(event.target.value)}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			{error !== null && <InlineError error={error} />}
			{error instanceof ApiError && error.code === 'stdio_not_allowed' && (
				<p className="text-ink-2">An operator gives the right under Instance, in the list of workspaces.</p>
			)}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={!variables}>
					Register
				</Button>
			</DialogActions>
		</form>
	)
}

/** `NAME=value` lines as a record; null when a line is not of that form. */
function parseVariables(text: string): Record<string, string> | null {
	const lines = text.split('\n').filter((line) => line.trim() !== '')
	const pairs = lines.map((line) => line.match(/^\s*([A-Za-z_]\w*)=(.*)$/))
	if (pairs.includes(null)) return null
	return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', pair?.[2] ?? '']))
}
