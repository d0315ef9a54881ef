import { describe, expect, test } from 'vitest';
import { toWindowsCommand } from './windows-command.ts';

// Names of files are case-insensitive.
const files = new Set([
  'c:\\program files\\nodejs\\npx.cmd',
  'c:\\program files\\nodejs\\node.exe',
  'c:\\work\\node_modules\\.bin\\tool.cmd',
  'c:\\work\\server.exe',
  'c:\\program files\\nodejs\\npx',
]);
const env = {
  PATH: 'C:\\Windows;C:\\Program Files\\nodejs',
  PathExt: '.COM;.EXE;.BAT;.CMD',
  COMSPEC: 'C:\\Windows\\cmd.exe',
};
const convert = (command: string, args: readonly string[], cwd?: string) =>
  toWindowsCommand(command, args, { env, cwd, exists: (file) => files.has(file.toLowerCase()) });

describe('a command on Windows', () => {
  test('a command on Windows that is a program starts without a shell, its arguments unchanged', () => {
    const args = ['-e', 'a & b', '%PATH%'];
    expect(convert('node', args)).toEqual({ file: 'C:\\Program Files\\nodejs\\node.EXE', args });
    expect(convert('server.exe', args, 'C:\\work').file).toBe('server.exe');
    expect(convert('.\\server.exe', args, 'C:\\work').file).toBe('C:\\work\\server.exe');
    expect(convert('.\\server', args, 'C:\\work').file).toBe('C:\\work\\server.EXE');
  });

  test('a command on Windows that is a batch file runs in cmd.exe, and no argument is read as another command', () => {
    const { file, args, windowsVerbatimArguments } = convert('npx', [
      '-y',
      'a b',
      'x & calc',
      '"quoted"',
      'back\\',
      '%PATH%',
    ]);
    expect({ file, windowsVerbatimArguments }).toEqual({
      file: 'C:\\Windows\\cmd.exe',
      windowsVerbatimArguments: true,
    });
    const [switches, line = ''] = [args.slice(0, 3), args[3]];
    expect(switches).toEqual(['/d', '/s', '/c']);
    expect(line).toBe(
      '"C:\\Program^ Files\\nodejs\\npx.CMD ^"-y^" ^"a^ b^" ^"x^ ^&^ calc^" ^"\\^"quoted\\^"^" ^"back\\\\^" ^"^%PATH^%^""',
    );
    // Every special character is escaped.
    expect(line.slice(1, -1).replaceAll(/\^./g, '')).not.toMatch(/[()%!^"<>&|]/);
  });

  test('a command on Windows that is a launcher of npm gets arguments that are escaped twice', () => {
    const { args } = convert('node_modules\\.bin\\tool', ['a&b'], 'C:\\work');
    expect(args[3]).toBe('"C:\\work\\node_modules\\.bin\\tool.CMD ^^^"a^^^&b^^^""');
  });

  test('a command on Windows that does not exist is started as it is, so that the system reports it', () => {
    expect(convert('missing', ['x'])).toEqual({ file: 'missing', args: ['x'] });
  });

  test('a command on Windows rejects line breaks in the arguments of a batch file', () => {
    expect(() => convert('npx', ['a\ncalc'])).toThrow('line break');
  });
});
