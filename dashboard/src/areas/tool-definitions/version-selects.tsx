import { formatDateTime } from '../../lib/format.ts'
import { Field, Select } from '../../ui/field.tsx'
import type { DefinitionVersion } from './queries.ts'

interface VersionSelectsProps {
	/** Newest first. */
	versions: readonly DefinitionVersion[]
	compared: { from: string | undefined; to: string | undefined }
	onCompare(compared: { from?: string; to?: string }): void
}

/** Selects the two definitions to compare. */
export function VersionSelects({ versions, compared: { from, to }, onCompare }: VersionSelectsProps) {
	const change = (next: { from: string; to: string }) =>
		onCompare({ ...(next.from && { from: next.from }), ...(next.to && { to: next.to }) })
	const options = versions.map((version) => (
		<option key={version.hash} value={version.hash}>
			{describeVersion(version)}
		</option>
	))
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label="From">
				{(field) => (
					<Select
						{...field}
						value={from ?? ''}
						onChange={(event) => change({ from: event.target.value, to: to ?? '' })}
					>
						<option value="">Approved definition</option>
						{options}
					</Select>
				)}
			</Field>
			<Field label="To">
				{(field) => (
					<Select
						{...field}
						value={to ?? ''}
						onChange={(event) => change({ from: from ?? '', to: event.target.value })}
					>
						<option value="">Current definition</option>
						{options}
					</Select>
				)}
			</Field>
		</div>
	)
}

/** When it was first seen and the beginning of its hash, because two may arrive within a second. */
function describeVersion({ first_seen, hash, current, approved }: DefinitionVersion): string {
	const marks = [approved && 'approved', current && 'current'].filter(Boolean).join(', ')
	return `${formatDateTime(first_seen)} · ${hash.slice(0, 8)}${marks && ` (${marks})`}`
}
