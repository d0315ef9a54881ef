import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Link } from 'wouter';
import { classNames } from './class-names.ts';
import { Spinner } from './Spinner.tsx';

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary`: the main action. `danger`: removes something. `quiet`: a side action. */
  readonly look?: 'primary' | 'secondary' | 'danger' | 'quiet';
  readonly size?: 'small' | 'medium';
  /** Stands before the text. */
  readonly icon?: LucideIcon;
  /** Shows a spinner in the place of the icon and takes no further clicks. */
  readonly busy?: boolean;
}

const frame =
  'inline-flex shrink-0 items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors';

const looks = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  secondary: 'bg-surface text-ink border-line-strong/60 hover:bg-sunken',
  danger: 'bg-surface text-bad border-bad/50 hover:bg-bad-soft',
  quiet: 'bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink',
};

const sizes = {
  small: 'min-h-7 px-2 text-xs gap-1 [&_svg]:size-3.5',
  medium: 'min-h-9 px-3 text-sm gap-1.5 [&_svg]:size-4',
};

export function Button({
  look = 'secondary',
  size = 'medium',
  icon: Icon,
  busy = false,
  className,
  children,
  disabled,
  type = 'button',
  ...props
}: ButtonProps) {
  return (
    <button
      type={type}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
      className={classNames(
        frame,
        'disabled:cursor-not-allowed disabled:opacity-55',
        looks[look],
        sizes[size],
        className,
      )}
      {...props}
    >
      {busy ? <Spinner /> : Icon && <Icon aria-hidden />}
      {children}
    </button>
  );
}

type LinkLook = Pick<ButtonProps, 'look' | 'size' | 'icon' | 'className' | 'children'>;

/** The class and the content of a link that looks like a button. */
function toLinkProps({ look = 'secondary', size = 'medium', icon: Icon, className, children }: LinkLook) {
  const content = (
    <>
      {Icon && <Icon aria-hidden />}
      {children}
    </>
  );
  return { className: classNames(frame, looks[look], sizes[size], className), children: content };
}

export interface ButtonLinkProps extends LinkLook, Pick<ButtonProps, 'aria-label'> {
  /** A page of this app. */
  readonly href: string;
}

/** A link to another page that looks like a button. */
export function ButtonLink({ href, 'aria-label': label, ...look }: ButtonLinkProps) {
  return <Link href={href} aria-label={label} {...toLinkProps(look)} />;
}

/** A link to a page that the gateway serves beside the app: the browser leaves the app. */
export function GatewayButtonLink({ href, 'aria-label': label, ...look }: ButtonLinkProps) {
  return <a href={href} aria-label={label} {...toLinkProps(look)} />;
}

/** A link to another website that looks like a button and opens a new tab. */
export function ExternalButtonLink({ href, onClick, ...look }: ButtonLinkProps & Pick<ComponentProps<'a'>, 'onClick'>) {
  return <a href={href} target="_blank" rel="noopener noreferrer nofollow" onClick={onClick} {...toLinkProps(look)} />;
}

export interface IconButtonProps extends ButtonProps {
  /** The action, for screen readers and as the tooltip. */
  readonly label: string;
}

export function IconButton({ label, className, look = 'quiet', ...props }: IconButtonProps) {
  return (
    <Button
      aria-label={label}
      title={label}
      look={look}
      className={classNames('aspect-square px-0!', className)}
      {...props}
    />
  );
}
