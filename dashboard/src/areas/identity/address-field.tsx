import { Field, Textarea } from '../../ui/field.tsx'

/** The addresses from which a credential may be used; empty: any. */
export function AddressField({ value, onChange }: { value: string; onChange(value: string): void }) {
	return (
		<Field
			label="Allowed addresses"
			optional
			hint="Allowed source addresses and networks, one per line. Leave empty to allow any."
		>
			{(field) => (
				<Textarea
					{...field}
					rows={2}
					className="font-mono text-xs"
					placeholder={'192.0.2.7\n2001:db8::/32'}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				/>
			)}
		</Field>
	)
}
