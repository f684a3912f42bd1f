import { type Palette, type Theme, usePalette, useTheme } from "../state/theme";
import { MenuItem, MenuLine, MenuTitle } from "../ui/menus/Menu";
import { Popover } from "../ui/menus/Popover";

const THEMES: readonly { theme: Theme; label: string }[] = [
  { theme: "system", label: "As the system" },
  { theme: "light", label: "Light" },
  { theme: "dark", label: "Dark" },
];
const PALETTES: readonly { palette: Palette; label: string }[] = [
  { palette: "red-green", label: "Red to green" },
  { palette: "colour-blind", label: "Colour-blind safe: blue to orange" },
];

/** Theme, palette, help. */
export function SettingsMenu({ onHelp }: { onHelp: () => void }) {
  const { theme, dark, setTheme } = useTheme();
  const [palette, setPalette] = usePalette();
  return (
    <Popover
      label="Appearance and help"
      align="end"
      button={{ quiet: true, icon: dark ? "moon" : "sun", "aria-label": "Appearance and help" }}
    >
      {(close) => (
        <>
          <MenuTitle>Theme</MenuTitle>
          {THEMES.map((each) => (
            <MenuItem key={each.theme} chosen={each.theme === theme} onClick={() => setTheme(each.theme)}>
              {each.label}
            </MenuItem>
          ))}
          <MenuTitle>Reward colours</MenuTitle>
          {PALETTES.map((each) => (
            <MenuItem key={each.palette} chosen={each.palette === palette} onClick={() => setPalette(each.palette)}>
              {each.label}
            </MenuItem>
          ))}
          <MenuLine />
          <MenuItem
            hint="?"
            onClick={() => {
              close();
              onHelp();
            }}
          >
            Keys and help
          </MenuItem>
        </>
      )}
    </Popover>
  );
}
