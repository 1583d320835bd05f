import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { parseHeaders } from './parse-headers.ts'

export interface ServerInput {
	name: string
	url?: string
	command?: string
	args?: string[]
	env?: Record<string, string>
	/** For a program; set after it is registered. */
	allowed_hosts?: string[]
	transport_type?: 'http' | 'sse'
	headers?: Record<string, string>
}

export interface RegisterFormProps {
	busy: boolean
	error: unknown
	onSubmit(input: ServerInput): void
	onCancel(): void
}

export function RegisterForm({ busy, error, onSubmit, onCancel }: RegisterFormProps) {
	const [url, setUrl] = useState('')
	const [name, setName] = useState('')
	const [transport, setTransport] = useState('')
	const [headerText, setHeaderText] = useState('')
	const headers = parseHeaders(headerText)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({
			name: name.trim() || nameFrom(url),
			url: url.trim(),
			...(transport && { transport_type: transport as 'http' | 'sse' }),
			...(headerText.trim() && headers && { headers }),
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<UrlField url={url} onChange={setUrl} error={fieldError(error, '/url')} />
			<Field label="Name" hint="Appears in tool names" error={fieldError(error, '/name')}>
				{(field) => (
					<Input
						{...field}
						maxLength={100}
						placeholder={nameFrom(url)}
						required={!nameFrom(url)}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
				)}
			</Field>
			<details className="group rounded-lg border border-line px-3 py-2 open:pb-3">
				<summary className="min-h-6 text-ink-2">Credentials and transport</summary>
				<div className="mt-3 grid gap-4">
					<Field
						label="Headers sent to the server"
						optional
						hint="One per line, for example Authorization: Bearer … They are encrypted and never shown again."
						error={headers ? undefined : 'Each line needs a name, a colon and a value'}
					>
						{(field) => (
							<Textarea
								{...field}
								spellCheck={false}
								autoComplete="off"
								value={headerText}
								onChange={(event) => setHeaderText(event.target.value)}
								className="font-mono text-xs"
							/>
						)}
					</Field>
					<Field label="Transport">
						{(field) => (
							<Select {...field} value={transport} onChange={(event) => setTransport(event.target.value)}>
								<option value="">Find out</option>
								<option value="http">Streamable HTTP</option>
								<option value="sse">HTTP+SSE (2024)</option>
							</Select>
						)}
					</Field>
				</div>
			</details>
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy} disabled={!headers}>
					{busy ? 'Checking…' : 'Register and check'}
				</Button>
			</DialogActions>
		</form>
	)
}

/** A suggested name: the distinctive part of the host name. */
export function nameFrom(url: string): string {
	const host = URL.parse(url)?.hostname ?? ''
	return host.split('.').find((part) => !/^(www|mcp|api|\d+)$/.test(part)) ?? ''
}

function fieldError(error: unknown, pointer: string): string | undefined {
	return error instanceof ApiError
		? error.fields.find((field) => field.pointer === pointer)?.detail
		: undefined
}

interface UrlFieldProps {
	url: string
	onChange(url: string): void
	error?: string | undefined
}

/** The address of a remote server. */
export function UrlField({ url, onChange, error }: UrlFieldProps) {
	return (
		<Field label="URL" hint="The MCP endpoint, for example https://example.com/mcp" error={error}>
			{(field) => (
				<Input
					{...field}
					type="url"
					required
					placeholder="https://"
					value={url}
					onChange={(event) => onChange(event.target.value)}
					className="font-mono"
				/>
			)}
		</Field>
	)
}
