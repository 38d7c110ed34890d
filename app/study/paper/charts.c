#include "app/study/paper/charts.h"

#include <math.h>

#include "app/draw/chart/chart.h"

double mt_scaling_seconds(const mt_scaling *line, double cycles)
{
    return line->steps * cycles / line->clock_hz;
}

size_t mt_scaling_fewest(const mt_scaling *line)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < line->n; i++)
        if (!isnan(line->cycles[i]) && (least == SIZE_MAX || line->ipus[i] < line->ipus[least])) least = i;
    return least;
}

double mt_scaling_ideal(const mt_scaling *line, size_t i)
{
    const size_t least = mt_scaling_fewest(line);
    return least == SIZE_MAX ? NAN : line->cycles[least] * (double)line->ipus[least] / (double)line->ipus[i];
}

void mt_scaling_columns(mt_table *table)
{
    mt_table_decimals(table, "reference_ipus", "relative to", "IPUs", 0);
    mt_table_decimals(table, "speedup", "speed-up", "", 2);
    mt_table_decimals(table, "efficiency_percent", "efficiency", "%", 1);
}

void mt_scaling_numbers(mt_table *table, const mt_scaling *line, size_t i)
{
    const size_t least = mt_scaling_fewest(line);
    MT_TABLE_NUMBERS(table, least == SIZE_MAX ? NAN : (double)line->ipus[least],
        least == SIZE_MAX ? NAN : line->cycles[least] / line->cycles[i],
        100 * mt_scaling_ideal(line, i) / line->cycles[i]);
}

/* Names the groups of bars or points by their numbers of IPUs. */
static mt_status name_groups(mt_arena *arena, size_t n, const uint32_t *ipus, const char ***groups)
{
    mt_reproduce_name *names;
    MT_ALLOC(arena, *groups, n);
    MT_ALLOC(arena, names, n);
    for (size_t i = 0; i < n; i++) {
        mt_reproduce_ipus(ipus[i], names[i]);
        (*groups)[i] = names[i];
    }
    return MT_OK;
}

mt_status mt_scaling_draw(
    mt_arena *arena, const char *picture, const char *title, size_t n_lines, const mt_scaling *lines)
{
    const size_t n = lines[0].n;
    static const char *const kinds[] = {"time"};
    const char **groups, **names;
    double *seconds, *ideal, *places;
    bool any = false;
    MT_TRY(name_groups(arena, n, lines[0].ipus, &groups));
    MT_ALLOC(arena, names, n_lines);
    MT_ALLOC(arena, seconds, n * n_lines);
    MT_ALLOC(arena, ideal, n * n_lines);
    MT_ALLOC(arena, places, n);
    for (size_t i = 0; i < n; i++) {
        places[i] = lines[0].ipus[i];
        for (size_t m = 0; m < n_lines; m++) {
            const mt_scaling *line = &lines[m];
            names[m] = line->name;
            const bool fits = !isnan(line->cycles[i]);
            any |= fits;
            seconds[i * n_lines + m] = fits ? mt_scaling_seconds(line, line->cycles[i]) : 0;
            ideal[i * n_lines + m] = fits ? mt_scaling_seconds(line, mt_scaling_ideal(line, i)) : NAN;
        }
    }
    if (!any) return mt_fail(MT_FIT, "--picture %s: no mesh fits any of these machines", picture);
    return mt_chart_write(picture, &(mt_chart){.title = title,
                                       .caption = "Time [s]; both axes are logarithmic",
                                       .logarithmic = true,
                                       .n_groups = n,
                                       .n_bars = n_lines,
                                       .n_kinds = 1,
                                       .group = groups,
                                       .bar = names,
                                       .kind = kinds,
                                       .value = seconds,
                                       .mark = ideal,
                                       .mark_name = "ideal",
                                       .place = places});
}

mt_status mt_shares_draw(mt_arena *arena, const char *picture, const char *title, const mt_shares *s)
{
    const char **groups;
    double *percent;
    bool any = false;
    MT_TRY(name_groups(arena, s->n_ipus, s->ipus, &groups));
    MT_ALLOC(arena, percent, s->n_ipus * s->n_bars * MT_STEPS_PHASES);
    for (size_t k = 0; k < s->n_ipus * s->n_bars; k++) {
        double sum = 0;
        for (size_t f = 0; f < MT_STEPS_PHASES; f++) sum += s->cycles[k * MT_STEPS_PHASES + f];
        any |= !isnan(sum);
        for (size_t f = 0; !isnan(sum) && f < MT_STEPS_PHASES; f++)
            percent[k * MT_STEPS_PHASES + f] = 100 * s->cycles[k * MT_STEPS_PHASES + f] / sum;
    }
    if (!any) return mt_fail(MT_FIT, "--picture %s: the mesh fits none of these machines", picture);
    return mt_chart_write(picture,
        &(mt_chart){.title = title,
            .caption = "Share of a time step [%]; exchange: of the diffusion substeps, with synchronisation",
            .n_groups = s->n_ipus,
            .n_bars = s->n_bars,
            .n_kinds = MT_STEPS_PHASES,
            .group = groups,
            .bar = s->bar,
            .kind = mt_steps_phase_names,
            .value = percent});
}
